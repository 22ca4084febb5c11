/**
 * A partition that grows: links are offered as fast as its owner takes them, until the given number of URLs is known,
 * with a line of figures for each stretch. A run continues from the existing state, so a run that was cut off, or ran
 * out of time, resumes at the end of its changelog.
 *
 * The cost of the generator is not counted. At the end every decision is durable, and the checkpoint is written.
 */
import type { SeenConfig } from '../../../topology/frontier/seen/seen-config.ts';
import { bytesNow } from '../process/folder-bytes.ts';
import { peakRssBytes } from '../process/process-cost.ts';
import { type BenchPartition, logFolder, openBenchPartition, stateFolder } from './bench-partition.ts';
import { LinkSource } from './link-source.ts';
import type { Player } from './played-log.ts';

export interface GrowthOptions {
  readonly folder: string;
  /** Known URLs at which the run ends. */
  readonly urls: number;
  readonly hosts: number;
  /** Share of links with a known URL. */
  readonly duplicates: number;
  readonly seen: SeenConfig;
  /** Ends the run early, ms. */
  readonly wallMsMax: number;
  /** Ends the run before its folder exceeds this size. */
  readonly diskBytesMax: number;
  readonly onStretch: (stretch: Stretch) => void;
}

export type Ending = 'urls' | 'time' | 'disk';

/** URLs from one line of figures to the next. */
export interface Stretch {
  /** URLs known at the end of the stretch. */
  readonly known: number;
  /** Links decided in the stretch. */
  readonly links: number;
  /** Time since the run began, without that of the generator. */
  readonly elapsedSeconds: number;
  readonly linksPerSecond: number;
  readonly cpuMicrosPerLink: number;
  /** Longest time between two turns of the owner. */
  readonly worstPauseMs: number;
  readonly rssBytes: number;
  readonly stateBytes: number;
  readonly logBytes: number;
}

export interface Growth {
  readonly endedBy: Ending;
  readonly links: number;
  readonly known: number;
  readonly queued: number;
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly rssBytes: number;
  readonly stretches: readonly Stretch[];
}

const linksPerMessage = 500;
/** Known URLs from one line to the next. */
const stretchUrls = 1_000_000;

export async function grow(options: GrowthOptions): Promise<Growth> {
  const player = new GrowthPlayer(options);
  const partition = await openBenchPartition({ folder: options.folder, player, seen: options.seen });
  player.partition = partition;
  await partition.run();
  const growth = player.figures();
  await partition.close();
  return growth;
}

interface Moment {
  readonly links: number;
  readonly known: number;
  readonly wallMs: number;
  readonly cpuMs: number;
}

class GrowthPlayer implements Player {
  partition!: BenchPartition;
  readonly #options: GrowthOptions;
  readonly #stretches: Stretch[] = [];
  /** Absent until the partition is open: it reports the number of known URLs. */
  #source: LinkSource | undefined;
  #began: Moment | undefined;
  #last: Moment | undefined;
  #endedBy: Ending | undefined;

  constructor(options: GrowthOptions) {
    this.#options = options;
  }

  discovered() {
    return this.#endedBy === undefined && this.#source !== undefined ? this.#source.message(linksPerMessage) : null;
  }

  results() {
    return [];
  }

  take(): void {}

  onTurn(): void {
    const counters = this.partition.owner.committed?.counters;
    if (counters === undefined) return;
    if (this.#source === undefined) this.#begin(counters.admitted);
    const { urls, wallMsMax } = this.#options;
    if (counters.admitted >= urls) this.#end('urls');
    else if (performance.now() - this.#startedMs > wallMsMax) this.#end('time');
    const isEnd = this.#endedBy !== undefined;
    if (counters.admitted - this.#last!.known >= stretchUrls || isEnd) this.#mark();
    if (isEnd) this.partition.owner.stop();
  }

  #startedMs = 0;

  #begin(known: number): void {
    const { hosts, duplicates } = this.#options;
    this.#source = new LinkSource({ hosts, duplicates, known });
    this.#startedMs = performance.now();
    this.partition.played.worstTurnMs();
    this.#began = this.#now();
    this.#last = this.#began;
  }

  #end(why: Ending): void {
    this.#endedBy ??= why;
  }

  #mark(): void {
    const [now, last] = [this.#now(), this.#last!];
    const links = now.links - last.links;
    if (links === 0) return;
    this.#last = now;
    const { folder, diskBytesMax, onStretch } = this.#options;
    const [stateBytes, logBytes] = [bytesNow(stateFolder(folder)), bytesNow(logFolder(folder))];
    const stretch: Stretch = {
      known: now.known,
      links,
      elapsedSeconds: round((now.wallMs - this.#began!.wallMs) / 1000),
      linksPerSecond: Math.round((1000 * links) / (now.wallMs - last.wallMs)),
      cpuMicrosPerLink: round((1000 * (now.cpuMs - last.cpuMs)) / links, 3),
      worstPauseMs: round(this.partition.played.worstTurnMs()),
      rssBytes: process.memoryUsage.rss(),
      stateBytes,
      logBytes,
    };
    this.#stretches.push(stretch);
    onStretch(stretch);
    if (stateBytes + logBytes > diskBytesMax) this.#end('disk');
  }

  /** At the end of the run the checkpoint is written, too. */
  figures(): Growth {
    const [now, began] = [this.#now(), this.#began!];
    return {
      endedBy: this.#endedBy!,
      links: now.links - began.links,
      known: now.known,
      queued: this.partition.owner.committed!.counters.queued,
      seconds: round((now.wallMs - began.wallMs) / 1000),
      cpuSeconds: round((now.cpuMs - began.cpuMs) / 1000),
      rssBytes: peakRssBytes(),
      stretches: this.#stretches,
    };
  }

  /** Times exclude the playing of inputs. */
  #now(): Moment {
    const { user, system } = process.cpuUsage();
    const { playedMs } = this.partition.played;
    const { discovered: links, admitted: known } = this.partition.owner.committed!.counters;
    return { links, known, wallMs: performance.now() - playedMs, cpuMs: (user + system) / 1000 - playedMs };
  }
}

function round(value: number, digits = 1): number {
  return Number(value.toFixed(digits));
}
