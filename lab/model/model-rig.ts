/**
 * One partition with a changelog and a checkpoint in memory, for tests that give it every input by hand. It does an
 * owner's work, without an owner.
 */
import assert from 'node:assert/strict';
import type { TopicRecords } from '../../schemas/types.ts';
import {
  decodeChangelog,
  encodeClaim,
  type InputTopic,
  inputTopics,
} from '../../topology/frontier/changes/changelog.ts';
import { lostUrls } from '../../topology/frontier/changes/counters.ts';
import { offsetsRead } from '../../topology/frontier/changes/offsets-read.ts';
import { readLeases } from '../../topology/frontier/checkpoint/read-rows.ts';
import { saveCheckpoint } from '../../topology/frontier/checkpoint/save-checkpoint.ts';
import type { PartitionIdentity } from '../../topology/frontier/decide/decision.ts';
import type { Step } from '../../topology/frontier/decide/step.ts';
import { FrontierPartition, type Input } from '../../topology/frontier/partition.ts';
import { replay } from '../../topology/frontier/replay.ts';
import { FrontierState } from '../../topology/frontier/state/state.ts';
import type { StoreJob, StoreReply } from '../../topology/frontier/storage/store-job.ts';
import { RowsInMemory } from './rows-in-memory.ts';

/** So few that a round takes several steps, and is often interrupted by a restart. */
const sliceBytes = 300;
const key = { hi: 0x1234_5678, lo: 0x9abc_def0 };
const identity = { crawl: 'model', partition: 0, partitions: 1 };

export interface RigOptions {
  /** Absent: the only partition. */
  readonly identity?: PartitionIdentity;
  /** Absent: the usual memory. */
  readonly newState?: () => FrontierState;
}

export const rigKey = key;

type Inputs = { readonly [topic in InputTopic]: TopicRecords[topic][] };

export class ModelRig {
  readonly changelog: Buffer[] = [];
  readonly rows = new RowsInMemory();
  /** True while the checkpoint is being written. */
  #round: StoreJob | null = null;
  #reply: StoreReply = [];
  /** Everything that was ever sent. */
  readonly #inputs: Inputs = { control: [], results: [], discovered: [] };
  readonly #offered = { control: 0, results: 0, discovered: 0 };
  #claims = 0;
  readonly #identity: PartitionIdentity;
  readonly #newState: () => FrontierState;
  core!: FrontierPartition;

  constructor(nowMs: number, options: RigOptions = {}) {
    this.#identity = options.identity ?? identity;
    this.#newState = options.newState ?? (() => new FrontierState(key));
    this.reopen(nowMs, false);
  }

  send<T extends InputTopic>(topic: T, record: TopicRecords[T]): void {
    (this.#inputs[topic] as TopicRecords[T][]).push(record);
  }

  /** Decides everything that was sent, in as many steps as that takes. */
  step(nowMs: number, demand: number): Step | null {
    for (const topic of inputTopics) {
      for (; this.#offered[topic] < this.#inputs[topic].length; this.#offered[topic]++) {
        const offset = this.#offered[topic];
        // The log has changed its leader now and then.
        this.core.offer({ topic, offset, record: this.#inputs[topic][offset]!, leaderEpoch: offset >> 4 } as never);
      }
    }
    this.rows.run(this.core.reads());
    const step = this.core.step(nowMs, demand);
    for (let job = this.core.seenWork(true); job !== null; job = this.core.seenWork(true)) this.rows.run(job);
    for (const topic of this.core.takeSought()) this.#offered[topic] = this.core.state.positions[topic].offset;
    if (step === null) return null;
    assert.equal(step.offset, this.changelog.length, 'a commit lands at the offset its owner expects');
    this.changelog.push(step.commit);
    assert.equal(lostUrls(this.core.state.counters), 0, 'every admitted URL is in one place');
    this.rows.run(this.core.reads());
    this.#saveSlice();
    return step;
  }

  /** A new owner's first commit. */
  open(nowMs: number): Step {
    const step = this.core.open(nowMs);
    this.changelog.push(step.commit);
    return step;
  }

  /** The log has lost records of an input that were read: it is read from `offset` on. */
  goBack(topic: InputTopic, offset: number, nowMs: number): Step {
    let last: Step | undefined;
    for (const step of this.core.goBack(topic, offset, nowMs)) {
      last = step;
      this.changelog.push(step.commit);
    }
    this.core.takeSought();
    this.#offered[topic] = offset;
    return last!;
  }

  /** Begins to write the checkpoint, a slice at each step that decides something. */
  save(): void {
    this.#round ??= saveCheckpoint(this.core.state, sliceBytes);
  }

  /** Is a checkpoint being written? */
  get isSaving(): boolean {
    return this.#round !== null;
  }

  #saveSlice(): void {
    if (this.#round === null) return;
    const reply = this.rows.runOne(this.#round, this.#reply);
    if (reply === undefined) this.#round = null;
    this.#reply = reply ?? [];
  }

  /** Drops the owner's memory; the next one loads the checkpoint, claims and replays the records after it. */
  reopen(nowMs: number, endsLeases: boolean): void {
    const state = this.#newState();
    this.rows.load(state);
    this.#round = null;
    this.#reply = [];
    this.changelog.push(encodeClaim({ kind: 'claim', nonce: `${this.#claims++}`, nowMs, endsLeases }));
    this.#catchUp(state);
    this.core = new FrontierPartition(this.#identity, state);
    this.rows.run(this.core.reads());
    for (const topic of inputTopics) this.#offered[topic] = state.positions[topic].offset;
  }

  /** The inputs that a record of the changelog took. */
  inputsOf(value: Buffer): Input[] {
    const record = decodeChangelog(value);
    if (record.kind === 'claim') return [];
    return inputTopics.flatMap((topic) => {
      const [from, to] = offsetsRead(record, topic);
      const taken = this.#inputs[topic].slice(from, to);
      return taken.map((one, index) => ({ topic, offset: from + index, record: one }) as unknown as Input);
    });
  }

  /** All records ever sent to a topic. */
  sent<T extends InputTopic>(topic: T): readonly TopicRecords[T][] {
    return this.#inputs[topic] as TopicRecords[T][];
  }

  /** A state made from the changelog alone. */
  replayed(): FrontierState {
    const state = this.#newState();
    this.#catchUp(state);
    return state;
  }

  #catchUp(state: FrontierState): void {
    for (let offset = state.changelog.offset; offset < this.changelog.length; offset++) {
      const record = decodeChangelog(this.changelog[offset]!);
      if (record.kind === 'claim' && record.endsLeases) this.rows.run(readLeases(state));
      replay(state, offset, record);
    }
  }
}
