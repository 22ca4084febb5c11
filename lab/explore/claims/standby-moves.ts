/**
 * The actions of the standby: it reads the next record of the changelog, as services/frontier/restore/replayer.ts does.
 * If it is not certain that the record follows the last one that was read, the standby checks the log first.
 */
import { type ChangelogPosition, follows, readChangelog } from '../../../topology/frontier/changes/changelog.ts';
import { recordHash } from '../../../topology/frontier/changes/record-hash.ts';
import { continues, logAt } from '../engine/append-only.ts';
import type { Move } from '../engine/explore.ts';
import { Violation } from '../engine/violation.ts';
import type { Changelog } from './copies.ts';
import type { Play } from './play.ts';
import type { State } from './state.ts';

export function standbyMoves(play: Play, state: State): Move<State>[] {
  const { changelog, standby } = state;
  if (changelog.length <= standby.length) return [];
  const { copies } = play;
  return [
    {
      say: () => `the standby reads record ${standby.length}`,
      next: () => {
        const { value } = logAt(changelog, standby.length + 1);
        const position = copies.at(standby).changelog;
        const isSure = follows(position, readChangelog(value));
        if (!isSure && !holds(changelog, position)) return { ...state, standby: copies.tree.empty };
        const read = copies.append(standby, value);
        copies.at(read);
        if (!continues(changelog, read))
          throw new Violation(
            'follows',
            `the standby took record ${standby.length}, though the changelog has lost what it read before`,
          );
        return { ...state, standby: read };
      },
    },
  ];
}

/** True if the log holds the newest records that a copy was built from. */
function holds(log: Changelog, { read, counted }: ChangelogPosition): boolean {
  return [read, counted].every(
    (mark) =>
      mark === null || (log.length > mark.offset && recordHash(logAt(log, mark.offset + 1).value) === mark.hash),
  );
}
