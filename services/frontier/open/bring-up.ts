/**
 * Brings a partition's state to a position of its changelog, from the first starting state that works.
 *
 * A starting state is discarded with its checkpoint if it diverges from a check in the changelog, or if its part of
 * the changelog was trimmed meanwhile; the next one is then tried.
 */
import { CrawlstreamError, type ErrorCode } from '../../../topology/errors.ts';
import type { FrontierState } from '../../../topology/frontier/state/state.ts';
import { clearCheckpoint } from '../restore/load-checkpoint.ts';
import { type Restore, restore } from '../restore/restore.ts';
import { expectInLog } from '../restore/stands-in-log.ts';
import type { StartingStates } from './starting-states.ts';

export type BringUp = Omit<Restore, 'state'> & Pick<StartingStates, 'onNotice'>;

/**
 * Errors that discard a starting state: the checkpoint or the replay is wrong, or the changelog lacks records that it
 * needs.
 */
const leadsNowhere: ReadonlySet<ErrorCode> = new Set([
  'STATE_DIVERGED',
  'CHANGELOG_GAP',
  'OFFSET_OUT_OF_RANGE',
  'LOG_TRUNCATED',
]);

/** `first`: taken from `candidates` already. Undefined: the signal aborted. Throws the error of the last candidate. */
export async function bringUp(
  first: FrontierState,
  candidates: AsyncIterator<FrontierState, void>,
  options: BringUp,
): Promise<FrontierState | undefined> {
  for (let state = first; ; ) {
    const began = state.changelog.offset;
    try {
      await expectInLog(options, state);
      return (await restore({ ...options, state })) ? state : undefined;
    } catch (error) {
      if (!(error instanceof CrawlstreamError && leadsNowhere.has(error.code)) || began === 0) throw error;
      options.onNotice?.(`${error.message}; trying an earlier state`);
      await clearCheckpoint(options.store);
      const next = await candidates.next();
      if (next.done === true) throw error;
      state = next.value;
    }
  }
}

/** There is one: otherwise this throws. */
export async function firstOf(candidates: AsyncIterator<FrontierState, void>): Promise<FrontierState> {
  return (await candidates.next()).value as FrontierState;
}
