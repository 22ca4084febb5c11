/**
 * The crawls of a fleet. Each can be created, paused, resumed, ended and deleted while the others go on.
 *
 * A wish is stored before it is carried out. After a kill at any moment, the next start carries it out: it starts crawls
 * that should run, and removes deleted ones. A failing crawl is reported and stopped, without effect on the others.
 */
import { invalid } from '../../../topology/errors.ts';
import { counted } from '../../runtime/counted.ts';
import { CrawlActs, type CrawlActsOptions } from './crawl-acts.ts';
import { type CrawlFile, type CrawlKeep, noCounts, type Wish } from './crawl-file.ts';
import { type Entry, isUnnoted, restingEntry } from './fleet-entry.ts';
import type { CrawlAnswer, CreateCall } from './fleet-schemas.ts';
import { fleetServiceLimits } from './fleet-service-limits.ts';
import { type DeletedKeys, isSameCall, requestHashOf } from './made-before.ts';
import { newName } from './new-name.ts';
import type { PolicySetter } from './owner-policy.ts';
import { refuseWithoutRoom } from './room.ts';
import type { ReadLog } from './running-crawl.ts';
import { inTurn, stopping } from './turns.ts';

export interface FleetOptions extends CrawlActsOptions {
  /** Checks a call. Returns its seeds, and the complete policy. Throws INVALID_SEED or INVALID_ARGUMENT. */
  check(call: CreateCall, by: PolicySetter): Pick<CrawlFile, 'seeds' | 'policy'>;
  /** Makes the data of a new crawl. */
  make(path: string, file: CrawlFile): Promise<void>;
  /** Returns the reason why an owner's crawls may not run now; null: they may. Absent: all crawls may run. */
  heldFor?(owner: string): string | null;
  /** Returns the reason why a new crawl must not run until the operator resumes it. null, or absent: it may run. */
  holdOf?(file: CrawlFile): string | null;
  /** Throws if the process has no room for one more crawl beside those that are opening. Absent: by its open files. */
  refuseWithoutRoom?(opening: number): void;
  /** Resolves when nothing outside the crawl uses its data any more. Absent: nothing does. */
  onDelete?(name: string): Promise<void>;
  /** Idempotency keys of deleted crawls. Absent: a key is forgotten with its crawl. */
  readonly deletedKeys?: Pick<DeletedKeys, 'refuse' | 'note'>;
}

/** Throws if a call must not be carried out on the crawl in its present state. */
export type Judge = (crawl: CrawlAnswer) => void;

export class Fleet {
  readonly #options: FleetOptions;
  readonly #acts: CrawlActs;
  readonly #entries = new Map<string, Entry>();
  #isStopping = false;
  /** Creation time of the newest crawl. No two crawls have the same time, so it distinguishes those of one name. */
  #lastMadeMs = 0;

  constructor(options: FleetOptions) {
    this.#options = options;
    this.#acts = new CrawlActs(options, () => this.#refuseWithoutRoom());
  }

  /** Holds a crawl: it does not run until the operator resumes it. Call before `open`. */
  static async hold(keep: Pick<CrawlKeep, 'write'>, file: CrawlFile, why: string, atMs: number): Promise<CrawlFile> {
    const held = heldFile(file, why, atMs);
    await keep.write(held);
    return held;
  }

  /** Number of crawls that only the operator may resume. */
  get heldForGood(): number {
    return [...this.#entries.values()].filter(({ file }) => file.hold !== null && file.wish !== 'ended').length;
  }

  /** Starts all crawls that should run. `files`: from CrawlFiles.list. */
  async open(files: readonly CrawlFile[]): Promise<void> {
    for (const file of files) this.#entries.set(file.name, restingEntry(file));
    const unnoted = [...this.#entries.values()].filter(({ file }) => file.wish !== 'running' && isUnnoted(file));
    for (const entry of unnoted) await this.#inTurn(entry, () => this.#acts.noteRest(entry));
    const wanted = [...this.#entries.values()].filter(({ file }) => file.wish === 'running' && file.hold === null);
    for (const entry of wanted) entry.state = 'starting';
    const some = Array.from({ length: fleetServiceLimits.startsAtOnce }, async () => {
      for (let entry = wanted.shift(); entry !== undefined && !this.#isStopping; entry = wanted.shift()) {
        const next = entry;
        await this.#inTurn(next, async () => {
          // A call may have paused, resumed or deleted the crawl meanwhile.
          if (mayStart(next.file) && next.running === undefined) this.#startIfRoom(next);
        });
        // A start that waits for its owner's share must not keep those of other owners.
        if (next.running?.isWaiting === false) await Promise.race([next.running.up.catch(() => {}), next.over]);
      }
    });
    await Promise.all(some);
  }

  get names(): readonly string[] {
    return [...this.#entries.keys()];
  }

  /**
   * Creates a crawl. `isNew` false: the same call created it before. `by`: who sets the policy. `judge` throws if the
   * owner must not have another crawl.
   */
  async create(
    call: CreateCall,
    by: PolicySetter = 'operator',
    judge: () => void = () => {},
  ): Promise<{ readonly crawl: CrawlAnswer; readonly isNew: boolean }> {
    const before = this.#byKey(call.idempotencyKey, call.owner);
    if (before !== undefined) {
      if (!isSameCall(before.file.requestHash, call))
        throw invalid('idempotencyKey: this key was already used with a different crawl; choose another key');
      await before.turn; // Its creation may still fail.
      if (this.#entries.get(before.file.name) !== before) return this.create(call, by, judge);
      return { crawl: this.#acts.answer(before), isNew: false };
    }
    this.#options.deletedKeys?.refuse(call);
    judge();
    const { seeds, policy } = this.#options.check(call, by);
    this.#refuseWithoutRoom();
    if (this.#entries.size >= fleetServiceLimits.crawlsMax) {
      throw invalid(`the limit of ${counted(this.#entries.size, 'crawl')} is reached: delete ended crawls`);
    }
    if (this.#isStopping) throw stopping();
    const name = call.name ?? newName(seeds[0]!, (taken) => this.#entries.has(taken));
    if (this.#entries.has(name)) throw invalid(`name: a crawl ${name} already exists; choose another name`);
    const { owner, weight, idempotencyKey, webhook = null, output } = call;
    const createdAtMs = Math.max(this.#options.clock.nowMs(), this.#lastMadeMs + 1);
    this.#lastMadeMs = createdAtMs;
    const fresh: CrawlFile = {
      ...{ format: 1, name, owner, weight, createdAtMs, wish: 'running', incarnation: createdAtMs.toString(36) },
      ...{ seeds, policy, idempotencyKey, requestHash: requestHashOf(call), counts: noCounts, webhook, output },
      ...{ end: null, failure: null, noPage: null, hold: null },
      changes: [{ n: 0, kind: 'created', atMs: createdAtMs, pages: 0, detail: '' }],
    };
    const hold = this.#options.holdOf?.(fresh) ?? null;
    const file = hold === null ? fresh : heldFile(fresh, hold, createdAtMs);
    const entry = restingEntry(file);
    if (hold === null) entry.state = 'starting';
    // The name and the key are taken from now on.
    this.#entries.set(name, entry);
    await this.#inTurn(entry, async () => {
      try {
        await this.#options.files.create(file, (path) => this.#options.make(path, file));
      } catch (error) {
        this.#entries.delete(name);
        throw error;
      }
      if (hold === null) this.#acts.start(entry);
    });
    return { crawl: this.#acts.answer(entry), isNew: true };
  }

  /** Lists the crawls of one owner, or of all owners. */
  list(owner?: string): CrawlAnswer[] {
    const answers: CrawlAnswer[] = [];
    for (const entry of this.#entries.values())
      if (owner === undefined || entry.file.owner === owner) answers.push(this.#acts.answer(entry));
    return answers;
  }

  /** undefined: no crawl has this name. */
  find(name: string): CrawlAnswer | undefined {
    const entry = this.#entries.get(name);
    return entry && this.#acts.answer(entry);
  }

  /** Returns the entry of a crawl; undefined: no crawl has this name. */
  file(name: string): CrawlFile | undefined {
    return this.#entries.get(name)?.file;
  }

  /** Returns the data folder of a crawl. */
  pathOf(name: string): string {
    return this.#options.files.pathOf(name);
  }

  /** Returns the log of a running crawl; undefined: the crawl does not run, so its log must be opened. */
  reads(name: string): ReadLog | undefined {
    return this.#entries.get(name)?.running?.reads;
  }

  /**
   * Resolves when no action on a crawl is under way, and the crawl neither opens its log nor stops. A start that waits for
   * its owner's share may take minutes, so it is not waited for.
   */
  async settled(name: string): Promise<void> {
    const entry = this.#entries.get(name);
    await entry?.turn;
    if (entry?.running === undefined || entry.running.reads !== undefined || entry.running.isWaiting) return;
    await (entry.state === 'starting' ? Promise.race([entry.running.up, entry.over]) : entry.over);
  }

  /**
   * Pauses, resumes or ends a crawl. Resolves when it has this state. `judge` is called in turn. undefined: there is no
   * such crawl, or it was deleted before the turn of this call.
   */
  wish(
    name: string,
    wish: Wish,
    judge: Judge = () => {},
    by: PolicySetter = 'operator',
  ): Promise<CrawlAnswer | undefined> {
    return this.#asked(name, judge, async (entry) => {
      const { file } = entry;
      if (this.#isStopping) throw stopping();
      if (file.wish === 'ended' && wish !== 'ended')
        throw invalid(`crawl ${name} has ended (${file.end}): create another crawl`);
      if (wish === 'running' && file.hold !== null && by === 'owner') throw invalid(file.hold);
      if (wish === 'running') await this.#resume(entry);
      else await this.#acts.rest(entry, wish);
      return this.#acts.answer(entry);
    });
  }

  async #resume(entry: Entry): Promise<void> {
    if (entry.running !== undefined || (entry.state === 'held' && entry.file.hold === null)) return;
    this.#refuseWithoutRoom();
    const heldFor = this.#options.heldFor?.(entry.file.owner) ?? null;
    if (heldFor !== null) throw invalid(heldFor);
    const before = entry.state;
    // A call that is judged meanwhile counts this crawl as running.
    entry.state = 'starting';
    try {
      const changes = await this.#acts.changed(entry, 'resumed');
      await this.#acts.write(entry, () => ({ wish: 'running', failure: null, hold: null, changes }));
    } catch (error) {
      entry.state = before;
      throw error;
    }
    this.#acts.start(entry);
  }

  /** Deletes a crawl with its folder, and frees its name. An earlier call may do so. false: there is no such crawl. */
  async delete(name: string, judge: Judge = () => {}): Promise<boolean> {
    if (!this.#entries.has(name)) return false;
    await this.#asked(name, judge, async (entry) => {
      await this.#acts.halt(entry, 'ending');
      await this.#options.onDelete?.(name);
      await this.#options.deletedKeys?.note(entry.file);
      await this.#options.files.remove(name);
      this.#entries.delete(name);
    });
    return true;
  }

  /** Stops crawls of owners with a used-up quota. Resumes crawls that were stopped for this and may run again. */
  async hold(): Promise<void> {
    const { heldFor } = this.#options;
    if (heldFor === undefined) return;
    const all = [...this.#entries.values()].filter(({ file, running, state }) => {
      if (!mayStart(file)) return false;
      const isHeld = heldFor(file.owner) !== null;
      return running === undefined
        ? state === 'held' && !isHeld
        : isHeld && (state === 'running' || state === 'starting');
    });
    await Promise.all(
      all.map((entry) =>
        this.#inTurn(entry, async () => {
          if (!mayStart(entry.file) || this.#isStopping) return;
          const why = heldFor(entry.file.owner);
          if (why === null) {
            if (entry.running === undefined && entry.state === 'held') this.#startIfRoom(entry);
            return;
          }
          if (entry.running === undefined) return;
          await this.#acts.halt(entry, 'pausing');
          // The crawl may have ended at that moment.
          if (entry.file.wish !== 'running') return;
          entry.file = { ...entry.file, failure: why };
          entry.state = 'held';
        }),
      ),
    );
  }

  /** Stops all crawls, because the process ends. Their wished states stay. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await Promise.all(
      [...this.#entries.values()].map((entry) => this.#inTurn(entry, () => this.#acts.halt(entry, 'pausing'))),
    );
  }

  /** Finds a crawl by its idempotency key. Each owner has separate keys. */
  #byKey(key: string, owner: string): Entry | undefined {
    if (key === '') return undefined;
    for (const entry of this.#entries.values())
      if (entry.file.idempotencyKey === key && entry.file.owner === owner) return entry;
    return undefined;
  }

  /** Throws INVALID_ARGUMENT if the process has no room for another crawl. */
  #refuseWithoutRoom(): void {
    // Crawls that are starting have not opened their files yet. Those that wait look for room when they go on.
    const isOpening = ({ running, state }: Entry) => running?.isWaiting === false && state === 'starting';
    (this.#options.refuseWithoutRoom ?? refuseWithoutRoom)([...this.#entries.values()].filter(isOpening).length);
  }

  /** Starts a crawl. If its owner's quota is used up or there is no room, its entry gets the reason instead. */
  #startIfRoom(entry: Entry): void {
    const heldFor = this.#options.heldFor?.(entry.file.owner) ?? null;
    if (heldFor !== null) {
      entry.file = { ...entry.file, failure: heldFor };
      entry.state = 'held';
      return;
    }
    try {
      this.#refuseWithoutRoom();
    } catch (error) {
      entry.file = { ...entry.file, failure: (error as Error).message };
      entry.state = 'failed';
      this.#options.say(`${entry.file.name}: ${(error as Error).message}`);
      return;
    }
    this.#acts.start(entry);
  }

  /** Runs an action of the fleet itself, in turn. Skips a crawl that has been deleted by then. */
  async #inTurn(entry: Entry, act: () => Promise<void>): Promise<void> {
    await inTurn(entry, async () => (this.#isThere(entry) ? act() : undefined));
  }

  /**
   * Runs the action of a call in turn, if `judge` does not throw. undefined: the crawl does not exist, or was deleted
   * meanwhile, even if another crawl has its name by then.
   */
  async #asked<T>(name: string, judge: Judge, act: (entry: Entry) => Promise<T>): Promise<T | undefined> {
    const entry = this.#entries.get(name);
    if (entry === undefined) return undefined;
    return await inTurn(entry, async () => {
      if (!this.#isThere(entry)) return undefined;
      judge(this.#acts.answer(entry));
      return await act(entry);
    });
  }

  #isThere(entry: Entry): boolean {
    return this.#entries.get(entry.file.name) === entry;
  }
}

function heldFile(file: CrawlFile, why: string, atMs: number): CrawlFile {
  const last = file.changes.at(-1);
  const change = { n: (last?.n ?? -1) + 1, kind: 'failed', atMs, pages: last?.pages ?? 0, detail: why } as const;
  const changes = [...file.changes, change].slice(-fleetServiceLimits.changesMax);
  return { ...file, hold: why, failure: why, changes };
}

function mayStart({ wish, hold }: CrawlFile): boolean {
  return wish === 'running' && hold === null;
}
