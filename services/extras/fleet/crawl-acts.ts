/**
 * The acts on one crawl of a fleet: it starts, rests and ends, and its stored entry is kept. The fleet decides when
 * (fleet.ts).
 */
import { CrawlstreamError } from '../../../topology/errors.ts';
import type { Clock } from '../../runtime/clock.ts';
import { errorOf } from '../../runtime/thrown.ts';
import type { CrawlChange, CrawlFile, CrawlKeep } from './crawl-file.ts';
import { type Entry, isUnnoted, restStateOf } from './fleet-entry.ts';
import type { CrawlAnswer, CrawlState } from './fleet-schemas.ts';
import { fleetServiceLimits } from './fleet-service-limits.ts';
import type { RunningCrawl } from './running-crawl.ts';

export interface CrawlActsOptions {
  readonly files: CrawlKeep;
  readonly clock: Clock;
  /** `needRoom` throws if the process has no room for the crawl: call it after the start had to wait. */
  start(file: CrawlFile, path: string, needRoom: () => void): RunningCrawl;
  /** Returns the number of page records of a crawl that does not run, including dropped records. */
  pagesEnd(path: string): Promise<number>;
  /** Returns the reason why a crawl that has ended has no page. Absent: it is not looked up. */
  whyNoPage?(file: CrawlFile, path: string): Promise<string>;
  /** Returns the status of a crawl's webhook, as the API answers it. null: no webhook. Absent: no crawl has one. */
  webhookOf?(file: CrawlFile): CrawlAnswer['webhook'];
  say(text: string): void;
}

export class CrawlActs {
  readonly #options: CrawlActsOptions;

  readonly #needRoom: () => void;

  constructor(options: CrawlActsOptions, needRoom: () => void) {
    this.#options = options;
    this.#needRoom = needRoom;
  }

  answer({ file, state, running }: Entry): CrawlAnswer {
    const { name, owner, weight, end, failure, noPage, createdAtMs, seeds, counts } = file;
    return {
      ...{ name, owner, weight, state, end, failure, noPage, createdAtMs, seeds: seeds.length },
      counts: running?.counts ?? counts,
      pagesPerSecond: running?.pagesPerSecond ?? 0,
      webhook: this.#options.webhookOf?.(file) ?? null,
      data: this.#options.files.pathOf(name),
    };
  }

  start(entry: Entry): void {
    const { files, say } = this.#options;
    const { name } = entry.file;
    entry.file = { ...entry.file, failure: null };
    entry.state = 'starting';
    const running = this.#options.start(entry.file, files.pathOf(name), this.#needRoom);
    entry.running = running;
    running.up.then(
      () => {
        if (entry.running === running && entry.state === 'starting') entry.state = 'running';
      },
      () => {},
    );
    entry.over = (async () => {
      const change: Partial<CrawlFile>[] = [];
      try {
        const end = await running.ended;
        if (end !== 'stopped') change.push(await this.#endedAs(entry, end === 'done' ? 'done' : 'quota'));
      } catch (error) {
        const failure = (error as Error).message;
        say(
          `${name}: ${error instanceof CrawlstreamError ? failure : `a bug, please report it: ${errorOf(error).stack}`}`,
        );
        change.push({ failure, changes: await this.changed(entry, 'failed', failure) });
        // It would harm the other crawls again. So it is paused until its owner or the operator resumes it.
        if (isHarm(error)) change.push({ wish: 'paused' });
      }
      const counted = Object.assign({ counts: running.counts }, ...change) as Partial<CrawlFile>;
      await this.write(entry, () => counted).catch((error: Error) =>
        say(`${name}: its end could not be saved: ${error.message}`),
      );
      await this.noteRest(entry);
      entry.running = undefined;
      if (entry.state === 'starting' || entry.state === 'running') entry.state = restStateOf(entry.file);
    })();
  }

  async rest(entry: Entry, wish: 'paused' | 'ended'): Promise<void> {
    const isHeld = entry.state === 'held' && entry.file.hold === null;
    await this.write(entry, (now) => ({
      // The crawl may have reached its end at that moment.
      wish: now.wish === 'ended' ? 'ended' : wish,
      failure: isHeld ? null : now.failure,
      end: wish === 'ended' ? (now.end ?? 'stopped') : now.end,
    }));
    await this.halt(entry, wish === 'paused' ? 'pausing' : 'ending');
    await this.noteRest(entry);
    entry.state = restStateOf(entry.file);
  }

  async halt(entry: Entry, state: CrawlState): Promise<void> {
    if (entry.running === undefined) return;
    entry.state = state;
    entry.running.stop();
    await entry.over;
  }

  /**
   * Changes the stored entry. Writes take turns, because a crawl may reach its end during another action. `change`: gets
   * the entry of that moment, and returns the changed fields.
   */
  async write(entry: Entry, change: (now: CrawlFile) => Partial<CrawlFile>): Promise<void> {
    const mine = entry.writing.then(async () => {
      const changed = change(entry.file);
      await this.#options.files.write({ ...entry.file, ...changed });
      entry.file = { ...entry.file, ...changed };
    });
    entry.writing = mine.catch(() => {});
    await mine;
  }

  /** Returns the end of a crawl with its change: one write has both, so that no reader sees one without the other. */
  async #endedAs(entry: Entry, end: 'done' | 'quota'): Promise<Partial<CrawlFile>> {
    const ended = { wish: 'ended', end, noPage: await this.#whyNoPage(entry) } as const;
    if (!isUnnoted({ ...entry.file, ...ended })) return ended;
    return { ...ended, changes: await this.changed(entry, 'ended', end) };
  }

  async #whyNoPage({ file, running }: Entry): Promise<string | null> {
    if (running === undefined || running.counts.pages > 0) return null;
    const { files, say, whyNoPage } = this.#options;
    try {
      return (await whyNoPage?.(file, files.pathOf(file.name))) ?? null;
    } catch (error) {
      say(`${file.name}: the reason for its end without a page cannot be read: ${errorOf(error).message}`);
      return null;
    }
  }

  /** Returns the changes of a crawl with one more. Call it while nothing of the crawl runs. */
  async changed({ file }: Entry, kind: CrawlChange['kind'], detail = ''): Promise<CrawlChange[]> {
    const { changes, name } = file;
    const before = changes.at(-1);
    const pages = await this.#options.pagesEnd(this.#options.files.pathOf(name)).catch((error: Error) => {
      this.#options.say(`${name}: its log cannot be read: ${error.message}`);
      return before?.pages ?? 0;
    });
    const change = { n: (before?.n ?? -1) + 1, kind, atMs: this.#options.clock.nowMs(), pages, detail };
    return [...changes, change].slice(-fleetServiceLimits.changesMax);
  }

  /** Adds the change `paused` or `ended` if it is missing. Call it while nothing of the crawl runs. */
  async noteRest(entry: Entry): Promise<void> {
    const { file } = entry;
    if (file.wish === 'running' || !isUnnoted(file)) return;
    const changes = await this.changed(entry, file.wish, file.end ?? '');
    await this.write(entry, () => ({ changes })).catch((error: Error) =>
      this.#options.say(`${file.name}: ${error.message}`),
    );
  }
}

/** True for an error with a cause that would stop the other crawls as well. */
function isHarm(error: unknown): boolean {
  return error instanceof CrawlstreamError && error.code === 'DECISION_TOO_SLOW';
}
