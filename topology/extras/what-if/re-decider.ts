/**
 * Decides a partition's commits again, one by one, from the same inputs, clock and demand.
 *
 * The frontier is deterministic (docs/design.md §4.10), so with the recorded policies each commit is reproduced to the
 * byte. With another policy, commits are reproduced up to the first decision that differs. The recording does not show
 * what would have followed it: the rest is simulated (virtual-crawl.ts).
 *
 * Records without decisions are copied: claims, void commits, rows that a load brought from elsewhere. The recording
 * does not contain the Bloom filter's false positives: crawls with `--seen bloom` can differ there.
 */
import type { Claim, Commit, Foreign, InputTopic } from '../../frontier/changes/changelog.ts';
import { readChangelog, validateCommit } from '../../frontier/changes/changelog.ts';
import type { Change } from '../../frontier/changes/changes.ts';
import type { PartitionIdentity } from '../../frontier/decide/decision.ts';
import type { Step } from '../../frontier/decide/step.ts';
import type { Input, Positions } from '../../frontier/partition.ts';
import { FrontierPartition } from '../../frontier/partition.ts';
import { replay } from '../../frontier/replay.ts';
import { settleAll } from '../../frontier/state/settle-host.ts';
import type { FrontierState } from '../../frontier/state/state.ts';
import type { ListSource } from '../../url/url-lists.ts';

export interface Difference {
  readonly offset: number;
  /** The commit that was recorded. */
  readonly recorded: Buffer;
  /** The commit that is decided now; null: none. */
  readonly decided: Buffer | null;
}

export class ReDecider {
  readonly #identity: PartitionIdentity;
  #partition: FrontierPartition;
  /** The next commit is the first of its owner. */
  #opens = false;
  /** Lists of the policies, made again for each owner. */
  readonly #lists: ListSource;
  /** Commits that were decided again. */
  commits = 0;

  /** `state`: as it was before the first record that is taken; all of it in memory. */
  constructor(identity: PartitionIdentity, state: FrontierState, lists: ListSource) {
    this.#identity = identity;
    this.#lists = lists;
    this.#partition = this.#owner(state);
  }

  get partition(): FrontierPartition {
    return this.#partition;
  }

  /**
   * Takes the next record of the changelog. `inputs`: the records at the offsets that `offsetsRead` returns. Returns null if
   * the decision is the same. After a difference the state is that of the new decision, and no more records can be
   * taken.
   */
  take(offset: number, value: Buffer, inputs: readonly Input[]): Difference | null {
    const record = readChangelog(value);
    const first = record.kind === 'commit' ? firstOf(record) : null;
    if (record.kind !== 'commit' || !this.#isDecided(record, first)) {
      // Decoding is lazy, and gives each change once.
      this.#adopt(offset, first === null ? record : readChangelog(value));
      return null;
    }
    const step = this.#decide(record, first, inputs, epochsIn(value));
    this.commits += 1;
    if (step?.commit.equals(value)) return null;
    return { offset, recorded: value, decided: step?.commit ?? null };
  }

  #decide(
    record: Commit,
    first: Change | null,
    inputs: readonly Input[],
    epochs: ReadonlyMap<InputTopic, number>,
  ): Step | null {
    if (this.#opens) {
      this.#opens = false;
      return this.#partition.open(record.nowMs);
    }
    for (const input of inputs) this.#partition.offer({ ...input, leaderEpoch: epochs.get(input.topic) });
    if (first?.kind === 'taken') this.#partition.offerTaken(first);
    const until = Object.fromEntries(record.inputs.map(({ topic, to }) => [topic, to])) as unknown as Positions;
    const step = this.#partition.step(record.nowMs, record.demand, until);
    // A record that was taken in part is offered again with the next commit.
    this.#partition.withdraw();
    this.#partition.takeSought();
    // A checkpoint's part of them is not needed here.
    this.#partition.state.unsaved.records = [];
    return step;
  }

  /** A load and a void commit are not decisions. */
  #isDecided(record: Commit, first: Change | null): boolean {
    const { changelog } = this.#partition.state;
    return validateCommit(changelog, record) === 'counts' && first?.kind !== 'load' && !isGoingBack(record, first);
  }

  #adopt(offset: number, record: Claim | Commit | Foreign): void {
    const { state } = this.#partition;
    replay(state, offset, record);
    if (record.kind !== 'claim') return;
    settleAll(state);
    this.#partition = this.#owner(state);
    this.#opens = true;
  }

  #owner(state: FrontierState): FrontierPartition {
    const partition = new FrontierPartition(this.#identity, state);
    partition.lists.put(this.#lists);
    return partition;
  }
}

/** The change that names a commit's subject; null: it changes nothing. */
function firstOf({ changes }: Commit): Change | null {
  for (const change of changes) return change;
  return null;
}

/** The epochs in the recorded commit, which may be of a release that did not note them. */
function epochsIn(value: Buffer): Map<InputTopic, number> {
  const epochs = new Map<InputTopic, number>();
  const record = readChangelog(value);
  for (const change of record.kind === 'commit' ? record.changes : [])
    if (change.kind === 'inputEpoch') epochs.set(change.topic, change.epoch);
  return epochs;
}

/**
 * An input had lost records, and reading continues after them, with no operator’s order among the inputs. If it lost a
 * policy that was decided in part, commits that move waits and no input come first.
 */
function isGoingBack({ inputs }: Commit, first: Change | null): boolean {
  const [moved, ...others] = inputs.filter(({ from, to }) => from.offset !== to.offset || from.slice !== to.slice);
  if (moved === undefined) return inputs.some(({ to }) => to.slice > 0) && isWait(first);
  const { from, to } = moved;
  return others.length === 0 && (to.offset < from.offset || (to.offset === from.offset && to.slice < from.slice));
}

function isWait(change: Change | null): boolean {
  return change?.kind === 'host' || change?.kind === 'leaseDelay' || change?.kind === 'slotTimes';
}
