/**
 * Opens the crawls of a fleet on Kafka, over one log of the process. Each crawl has the topics `FLEET.CRAWL.pages`,
 * `.frontier-changelog` and `.flow`, and `.responses` if its responses are stored. Folders of this process contain only
 * checkpoints, which can be made again.
 */
import { rm } from 'node:fs/promises';
import { basename } from 'node:path';
import { CrawlstreamError } from '../../../../topology/errors.ts';
import type { WholeLog } from '../../../hosting/connect/folder-log.ts';
import { newCrawl } from '../../../hosting/connect/new-crawl.ts';
import { explainEach } from '../../../hosting/inspect/explain.ts';
import { type Clock, SystemClock } from '../../../runtime/clock.ts';
import { agreeManifest } from '../../../runtime/crawl/agree-manifest.ts';
import { accessOn, type CrawlAccess, type OpenRegistry } from '../../../runtime/crawl/kafka-access.ts';
import { adoptDataFolder, type DataFolder } from '../../../runtime/data-folder/data-folder.ts';
import type { Manifest } from '../../../runtime/data-folder/manifest.ts';
import { ownResponses } from '../../../runtime/log/folded/fold.ts';
import type { FoldedLog } from '../../../runtime/log/folded/folded-log.ts';
import type { Log } from '../../../runtime/log/log.ts';
import { say } from '../../../runtime/logging/say.ts';
import { productVersion } from '../../../runtime/version.ts';
import type { FleetParts } from '../api/fleet-parts.ts';
import type { CrawlFile } from '../crawl-file.ts';
import { type FleetTasksTopic, sendingTasks } from '../fetchers/task-records.ts';
import type { ReadLog } from '../running-crawl.ts';

export interface KafkaCrawlsOptions {
  readonly fleet: string;
  readonly brokers: string;
  readonly registry: OpenRegistry | undefined;
  /** The log under `log`: finds and deletes topics. */
  readonly topics: Pick<Log, 'deleteTopics' | 'partitionsOf'>;
  readonly log: FoldedLog;
  /** Topic of tasks for fetchers in other processes. Absent: tasks go to the crawl's own topic. */
  readonly tasks?: FleetTasksTopic | undefined;
}

export interface Opened extends CrawlAccess {
  readonly manifest: Manifest;
}

/** How to make a new crawl. */
interface Made {
  readonly hasResponses: boolean;
}

/** Most crawls that do not run with a flow that is kept open for further reads. */
const restingMax = 16;

export class KafkaCrawls {
  readonly #options: KafkaCrawlsOptions;
  readonly #opened = new Map<string, Promise<Opened>>();
  readonly #running = new Set<string>();
  readonly #resting = new Set<string>();

  constructor(options: KafkaCrawlsOptions) {
    this.#options = options;
  }

  /** Makes the topics and the manifest of a new crawl. */
  async make({ name, output }: Pick<CrawlFile, 'name' | 'output'>): Promise<void> {
    this.#forget(name);
    await this.#open(name, { hasResponses: output.warc === true });
  }

  /** Opens a crawl for a run: its data folder, and the log of the run. */
  async open(name: string, path: string, clock: Clock): Promise<{ folder: DataFolder; opened: WholeLog }> {
    const { log, codec, manifest } = await this.#open(name);
    this.#resting.delete(name);
    this.#running.add(name);
    const { crawl } = manifest;
    const decided = await log.last(`${crawl}.frontier-changelog`, 0);
    if (decided !== undefined) clock.goOnFrom?.(decided.timestampMs);
    const folder = await ownFolder(path, manifest);
    const { tasks } = this.#options;
    const whole = ofWhole(log);
    return { folder, opened: { log: tasks === undefined ? whole : sendingTasks(whole, crawl, tasks), codec } };
  }

  /** Opens a crawl that another process runs, for a fetcher or a consumer. Nothing cached of the crawl is used. */
  async attach(name: string): Promise<Opened> {
    this.#forget(name);
    return this.#open(name);
  }

  detach(name: string): void {
    this.#forget(name);
  }

  /** Called when a crawl has stopped running. */
  rests(name: string): void {
    this.#running.delete(name);
    this.#look(name);
  }

  /** Reads a crawl's log. `path`: of the crawl's folder. */
  readonly reading = async <T>(path: string, act: (reads: ReadLog) => Promise<T>): Promise<T> => {
    const name = basename(path);
    const { log, codec, manifest } = await this.#there(name);
    this.#look(name);
    return act({ log, codec, crawl: manifest.crawl });
  };

  readonly explain: FleetParts['explain'] = async (path, urls) => {
    const name = basename(path);
    const { log, codec, manifest } = await this.#there(name);
    this.#look(name);
    const { brokers, registry } = this.#options;
    return explainEach({ log, codec, topics: manifest }, { brokers, registry: registry?.url }, urls);
  };

  /** Deletes all topics of a crawl. */
  async drop(name: string): Promise<void> {
    const crawl = this.#crawl(name);
    this.#forget(name);
    await this.#options.topics.deleteTopics?.([
      ...['pages', 'frontier-changelog', 'flow'].map((topic) => `${crawl}.${topic}`),
      ownResponses(crawl),
    ]);
  }

  #crawl(name: string): string {
    return `${this.#options.fleet}.${name}`;
  }

  #forget(name: string): void {
    this.#opened.delete(name);
    this.#resting.delete(name);
    this.#running.delete(name);
    this.#options.log.release(this.#crawl(name));
  }

  /** Keeps the flows of a few stopped crawls open: those that were read most recently. */
  #look(name: string): void {
    if (this.#running.has(name)) return;
    this.#resting.delete(name);
    this.#resting.add(name);
    if (this.#resting.size <= restingMax) return;
    const [oldest] = this.#resting;
    this.#resting.delete(oldest!);
    this.#options.log.release(this.#crawl(oldest!));
  }

  #there(name: string): Promise<Opened> {
    return this.#open(name).catch((error) => {
      if (!(error instanceof CrawlstreamError && error.code === 'CRAWL_MISSING')) throw error;
      throw new CrawlstreamError('NOT_READY', 'this crawl is being deleted: retry in a moment');
    });
  }

  #open(name: string, made?: Made): Promise<Opened> {
    let opening = this.#opened.get(name);
    if (opening === undefined) {
      opening = this.#openNow(name, made);
      this.#opened.set(name, opening);
      opening.catch(() => {
        if (this.#opened.get(name) === opening) this.#opened.delete(name);
      });
    }
    return opening;
  }

  async #openNow(name: string, made: Made | undefined): Promise<Opened> {
    const { log, registry, topics } = this.#options;
    const crawl = this.#crawl(name);
    const responses = ownResponses(crawl);
    log.setApart(responses, made?.hasResponses ?? (await topics.partitionsOf(responses)) > 0);
    const access = await accessOn(log, { registry, crawl, by: productVersion, onNotice: say });
    const manifest = await agreeManifest({
      ...{ log: access.log, codec: access.codec, clock: new SystemClock(), createdBy: productVersion },
      wanted: { crawl },
      defaults: made === undefined ? null : newCrawl(crawl, 1),
      isOfFleet: true,
    });
    return { ...access, manifest };
  }
}

/** A log for the one process that runs a crawl: it owns all partitions, and its changelog has the positions. */
function ofWhole(log: Log): Log {
  return {
    ...log,
    commit: async () => {},
    async join({ onAssigned }) {
      onAssigned([0], []);
      return { name: 'this process', members: 1, leave: async () => {} };
    },
    membersOf: async () => [],
  };
}

/** Opens the folder of a crawl. If it belongs to an earlier crawl of this name, it is deleted first. */
export async function ownFolder(path: string, manifest: Manifest): Promise<DataFolder> {
  try {
    return await adoptDataFolder(path, manifest);
  } catch (error) {
    if (!(error instanceof CrawlstreamError && error.code === 'DATA_FOLDER_FOREIGN')) throw error;
    await rm(path, { recursive: true, force: true, maxRetries: 3 });
    return adoptDataFolder(path, manifest);
  }
}
