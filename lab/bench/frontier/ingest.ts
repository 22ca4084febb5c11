/**
 * Measured ingest: links are offered as fast as the frontier takes them, until every link is decided, durable in the
 * changelog and written to the checkpoint. The cost of the generator is not counted.
 */
import type { SeenConfig } from '../../../topology/frontier/seen/seen-config.ts';
import { folderBytes } from '../process/folder-bytes.ts';
import type { BenchPartition } from './bench-partition.ts';
import { openBenchPartition, stateFolder } from './bench-partition.ts';
import { profileStages } from './frontier-stages.ts';
import { knownFirst, LinkSource } from './link-source.ts';

export interface IngestOptions {
  readonly folder: string;
  readonly urls: number;
  readonly hosts: number;
  readonly duplicates: number;
  readonly config: SeenConfig;
  /** Folder for a CPU profile, which costs a tenth of the speed. */
  readonly profile: string | undefined;
}

export interface Ingest {
  readonly urls: number;
  readonly queued: number;
  readonly duplicates: number;
  /** Without the time of the generator. */
  readonly wallMs: number;
  readonly cpuMs: number;
  readonly worstTurnMs: number;
  /** One for each million, in order. */
  readonly millions: readonly Stretch[];
  readonly rssBytes: number;
  readonly stateBytes: number;
}

export interface Stretch {
  readonly urls: number;
  readonly wallMs: number;
  readonly cpuMs: number;
  readonly worstTurnMs: number;
  readonly rssBytes: number;
}

const linksPerMessage = 500;

export async function ingest(options: IngestOptions): Promise<Ingest> {
  const { folder, urls, duplicates, profile } = options;
  const known = knownFirst(urls, duplicates);
  const player = new IngestPlayer(options, known);
  const partition = await openBenchPartition({ folder, player, seen: options.config });
  player.partition = partition;
  const before = known === 0 ? undefined : player.endOf(known);
  const running = partition.run();
  await Promise.race([before, running]);
  const endProfile = profile === undefined ? undefined : await profileStages(profile);
  const began = player.begin();
  await running;
  const whole = player.since(began);
  await endProfile?.();
  const { counters } = partition.owner.committed!;
  await partition.close();
  return {
    urls,
    queued: counters.queued,
    duplicates: counters.duplicates,
    ...whole,
    worstTurnMs: Math.max(...player.millions.map((stretch) => stretch.worstTurnMs)),
    millions: player.millions,
    rssBytes: process.resourceUsage().maxRSS * 1024,
    stateBytes: await folderBytes(stateFolder(folder)),
  };
}

interface Moment {
  readonly urls: number;
  readonly wallMs: number;
  readonly cpuMs: number;
}

class IngestPlayer {
  partition!: BenchPartition;
  readonly millions: Stretch[] = [];
  readonly #urls: number;
  readonly #sources: readonly (readonly [LinkSource, upTo: number])[];
  #given = 0;
  #onEnd: { readonly at: number; readonly resolve: () => void } | undefined;
  #last: Moment | undefined;
  readonly #known: number;

  constructor({ urls, hosts, duplicates }: IngestOptions, known: number) {
    this.#urls = known + urls;
    this.#known = known;
    this.#sources = [
      [new LinkSource({ hosts, duplicates: 0 }), known],
      [new LinkSource({ hosts, duplicates, known }), known + urls],
    ];
  }

  discovered() {
    const [source, upTo] = this.#sources.find(([, end]) => this.#given < end) ?? [];
    // Nothing of the measured part is offered early.
    if (source === undefined || upTo === undefined || (this.#given >= this.#known && this.#last === undefined))
      return null;
    const count = Math.min(linksPerMessage, upTo - this.#given);
    this.#given += count;
    return source.message(count);
  }

  results() {
    return [];
  }

  take(): void {}

  /** Resolves once this many links are decided and durable. */
  endOf(links: number): Promise<void> {
    return new Promise((resolve) => {
      this.#onEnd = { at: links, resolve: resolve };
    });
  }

  begin(): Moment {
    this.partition.played.worstTurnMs();
    this.#last = this.#now(0);
    return this.#last;
  }

  since(began: Moment): { readonly wallMs: number; readonly cpuMs: number } {
    const now = this.#now(this.#urls);
    return { wallMs: now.wallMs - began.wallMs, cpuMs: now.cpuMs - began.cpuMs };
  }

  onTurn(): void {
    const decided = this.partition.owner.committed?.counters.discovered ?? 0;
    if (this.#onEnd !== undefined && decided >= this.#onEnd.at) this.#onEnd.resolve();
    if (this.#last === undefined) return;
    const measured = decided - this.#known;
    const isLast = decided >= this.#urls;
    if (measured - this.#last.urls >= 1_000_000 || (isLast && measured > this.#last.urls)) this.#mark(measured);
    if (isLast) this.partition.owner.stop();
  }

  #mark(measured: number): void {
    const now = this.#now(measured);
    const { urls, wallMs, cpuMs } = this.#last!;
    this.millions.push({
      urls: now.urls - urls,
      wallMs: now.wallMs - wallMs,
      cpuMs: now.cpuMs - cpuMs,
      worstTurnMs: this.partition.played.worstTurnMs(),
      rssBytes: process.memoryUsage.rss(),
    });
    this.#last = now;
  }

  /** Times exclude the playing of inputs. */
  #now(urls: number): Moment {
    const { user, system } = process.cpuUsage();
    const { playedMs } = this.partition.played;
    return { urls, wallMs: performance.now() - playedMs, cpuMs: (user + system) / 1000 - playedMs };
  }
}
