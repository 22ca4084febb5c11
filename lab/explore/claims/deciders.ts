/**
 * Owners' real partitions. An owner's decision follows from the checkpoint and the changelog that it was opened from,
 * its commits since, and its inputs. So each decision is made once, and then stored.
 *
 * A partition advances in memory from decision to decision, or is opened again for one, whichever is available. Both
 * must decide alike: now and then both do, and are compared.
 */
import type { Task } from '../../../schemas/types.ts';
import { encodeClaim, type InputTopic, inputTopics } from '../../../topology/frontier/changes/changelog.ts';
import { saveCheckpoint } from '../../../topology/frontier/checkpoint/save-checkpoint.ts';
import type { ControlMessage, PartitionIdentity } from '../../../topology/frontier/decide/decision.ts';
import { FrontierPartition } from '../../../topology/frontier/partition.ts';
import { RowsInMemory } from '../../model/rows-in-memory.ts';
import { continues, type LogNode, recordsFrom } from '../engine/append-only.ts';
import { hashText } from '../engine/hash.ts';
import { Interner } from '../engine/interner.ts';
import { Violation } from '../engine/violation.ts';
import { type Changelog, type Copies, type Copy, copyOf, newState, replayed } from './copies.ts';
import { identity, leasesMax } from './setting.ts';

/** A folder with a checkpoint. */
export interface Disk {
  readonly id: number;
  /** Rows of a checkpoint, which may be unfinished. */
  readonly rows: readonly (readonly [key: string, value: Buffer])[];
  /** The newest changelog that its rows include. */
  readonly builtFrom: Changelog;
}

/** An owner that has decided up to `log`, which may include commits that have not landed. */
export interface Decider {
  readonly id: number;
  readonly disk: Disk | null;
  /** The changelog that it was opened at: its newest record is the owner's claim. */
  readonly claimed: Changelog;
  readonly openedAtMs: number;
  readonly log: Changelog;
  /** Tasks of the newest commit. */
  readonly tasks: readonly Task[];
  /** Messages of the newest commit for owners; for an owner that has just opened, the messages that it sends again. */
  readonly controls: readonly ControlMessage[];
  readonly copy: Copy;
  readonly wakeAtMs: number | undefined;
  readonly seesTaken: boolean;
  readonly taken: readonly number[];
}

export type Inputs = { readonly [Topic in InputTopic]: LogNode<object> };

export interface StepInputs {
  readonly inputs: Inputs;
  readonly nowMs: number;
  /** Tasks that fetchers have taken, and the leases among them. */
  readonly taken: { readonly position: number; readonly leases: readonly number[] } | null;
}

interface Live {
  readonly core: FrontierPartition;
  readonly rows: RowsInMemory;
}

const keptMax = 512;
/** One of this many decisions is made twice. */
const againEvery = 16;

export class Deciders {
  readonly #copies: Copies;
  readonly #identity: PartitionIdentity;
  readonly #deciders = new Interner<Decider>();
  readonly #steps = new Map<string, Decider | null>();
  readonly #disks = new Map<string, Disk>();
  readonly #live = new Map<number, Live>();
  /** Decisions that were made by a real partition. */
  decided = 0;

  constructor(copies: Copies, partition: PartitionIdentity = identity) {
    this.#copies = copies;
    this.#identity = partition;
  }

  /** The claim of an owner that has read the changelog `log`. `nonce`: unique for each owner. */
  claim(log: Changelog, nowMs: number, nonce: string): Buffer {
    const { changelog, nowMs: decidedAtMs } = this.#copies.at(log);
    const { epoch, seq, counted } = changelog;
    const after = { epoch, seq, counted };
    return encodeClaim({ kind: 'claim', nonce, nowMs: Math.max(nowMs, decidedAtMs), endsLeases: false, after });
  }

  /** An owner just after its claim, the newest record, with its first commit. */
  open(claimed: Changelog, disk: Disk | null, nowMs: number): Decider {
    const used = disk !== null && continues(claimed, disk.builtFrom) ? disk : null;
    const text = `open ${claimed.id} ${used?.id ?? -1} ${nowMs}`;
    const known = this.#steps.get(text);
    if (known != null) return known;
    const live = this.#opened(claimed, used);
    const controls = live.core.republish();
    const step = live.core.open(nowMs);
    live.rows.run(live.core.reads());
    const decider = this.#decider(
      live,
      { disk: used, claimed, openedAtMs: nowMs },
      this.#append(claimed, step.commit),
      { tasks: [], controls },
    );
    this.#steps.set(text, decider);
    return decider;
  }

  /** An owner's next decision; null: none. */
  step(before: Decider, given: StepInputs): Decider | null {
    const { inputs, nowMs, taken } = given;
    const ends = inputTopics.map((topic) => inputs[topic].id).join(' ');
    const text = `${before.id} ${ends} ${nowMs} ${taken === null ? '' : `${taken.position} ${taken.leases}`}`;
    const known = this.#steps.get(text);
    if (known !== undefined) return known;
    const kept = this.#live.get(before.id);
    this.#live.delete(before.id);
    const decided = this.#decide(kept ?? this.#reopened(before), before, given);
    if (kept !== undefined && decided !== null && this.decided % againEvery === 0) {
      const again = this.#decide(this.#reopened(before), before, given);
      if (again !== decided)
        throw new Violation(
          'decided again',
          'an owner that was opened from the changelog decides otherwise than one that went on',
        );
    }
    this.#steps.set(text, decided);
    return decided;
  }

  /** The folder of an owner after it has written a checkpoint into it; `isCut`: only the first slice of it. */
  save(decider: Decider, folder: Disk | null, isCut: boolean): Disk {
    const text = `${decider.id} ${folder?.id ?? -1} ${isCut}`;
    const known = this.#disks.get(text);
    if (known !== undefined) return known;
    const { core } = this.#reopened(decider);
    const rows = rowsOf(folder);
    const job = saveCheckpoint(core.state, 1);
    if (isCut) rows.runOne(job, []);
    else rows.run(job);
    const disk = { id: hashText(text), rows: rows.entries(), builtFrom: decider.log };
    this.#disks.set(text, disk);
    return disk;
  }

  #append(log: Changelog, commit: Buffer): Changelog {
    return this.#copies.append(log, commit);
  }

  #decide({ core, rows }: Live, before: Decider, { inputs, nowMs, taken }: StepInputs): Decider | null {
    this.decided += 1;
    for (const topic of inputTopics)
      for (const { length, value } of recordsFrom(inputs[topic], core.state.positions[topic].offset))
        core.offer({ topic, offset: length - 1, record: value } as never);
    rows.run(core.reads());
    if (taken !== null) core.offerTaken(taken);
    const step = core.step(nowMs, leasesMax - core.state.leases.size);
    if (step === null) return null;
    if (step.offset !== before.log.length)
      throw new Violation('offsets', `a commit expects ${step.offset}, not ${before.log.length}`);
    rows.run(core.reads());
    const { disk, claimed, openedAtMs } = before;
    return this.#decider({ core, rows }, { disk, claimed, openedAtMs }, this.#append(before.log, step.commit), step);
  }

  #decider(
    live: Live,
    origin: Pick<Decider, 'disk' | 'claimed' | 'openedAtMs'>,
    log: Changelog,
    { tasks, controls }: Pick<Decider, 'tasks' | 'controls'>,
  ): Decider {
    const { disk, claimed, openedAtMs } = origin;
    const { core } = live;
    const text = `${disk?.id ?? -1} ${claimed.id} ${openedAtMs} ${log.id}`;
    const decider = this.#deciders.one(text, (id) => ({
      id,
      ...origin,
      log,
      tasks,
      controls,
      copy: copyOf(core.state),
      wakeAtMs: core.wakeAtMs(leasesMax - core.state.leases.size),
      seesTaken: core.state.leases.taken.position >= 0,
      taken: core.state.leases.taken.ids,
    }));
    this.#live.set(decider.id, live);
    if (this.#live.size > keptMax) this.#live.delete(this.#live.keys().next().value!);
    return decider;
  }

  /** Opened from the changelog, with its commits since. */
  #reopened({ claimed, disk, openedAtMs, log }: Decider): Live {
    const live = this.#opened(claimed, disk);
    live.core.open(openedAtMs);
    replayed(live.core.state, log);
    live.rows.run(live.core.reads());
    return live;
  }

  #opened(claimed: Changelog, disk: Disk | null): Live {
    const rows = rowsOf(disk);
    const state = newState();
    rows.load(state);
    const core = new FrontierPartition(this.#identity, replayed(state, claimed));
    rows.run(core.reads());
    return { core, rows };
  }
}

function rowsOf(disk: Disk | null): RowsInMemory {
  const rows = new RowsInMemory();
  rows.write((disk?.rows ?? []).map(([key, value]) => ({ key: Buffer.from(key, 'hex'), value })));
  return rows;
}
