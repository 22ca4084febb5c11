/**
 * The fleet's entry of a crawl, beside the crawl's own data: `fleet.json` in its folder.
 *
 *   DIR/crawls/NAME/           the data folder of the crawl, for every command with --data
 *   DIR/crawls/NAME/fleet.json the entry
 *   DIR/crawls/.new-NAME/      a crawl that is being created; after a kill, the next start removes it
 *   DIR/crawls/.gone-…/        a crawl that is being deleted; after a kill, the next start completes this
 *   DIR/outputs/               rows that outputs sort while clients read them; emptied at each start
 *   DIR/hosts/                 pauses and Crawl-delays of hosts, which outlive the process (host-facts.ts). Its lock is
 *                              the lock of the fleet
 *   DIR/least-waits.json       the fleet's least delays, each with its first time (least-waits.ts)
 *   DIR/stops.json             crawls that stopped the process within a day (shares/stops.ts)
 *   DIR/loop.json              the crawl that blocked the event loop when the process died
 *                              (../runtime/loop/loop-note.ts)
 *   DIR/journal/               records that crawls appended, until they are durable in the crawls' own logs
 *                              (../runtime/store/journal)
 */
import { existsSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { placesOfUrls } from '../../../topology/frontier/ask/crawl-counts.ts';
import { makeFolder, renameWritten, syncFolder } from '../../runtime/disk/durable-names.ts';
import type { Documents } from './documents/documents.ts';
import { folderDocuments } from './documents/folder-documents.ts';
import { contents } from './fleet-contents.ts';

/** The wished state. running: the crawl should run, even if it does not run now. ended: the crawl is over for good. */
export const wishes = ['running', 'paused', 'ended'] as const;
export type Wish = (typeof wishes)[number];

/** Counts that a fleet shows of each crawl. */
export const countNames = [...placesOfUrls, 'admitted', 'hosts', 'bytes'] as const;

/** Earlier releases stored fewer. */
const countsSchema = z.object(
  Object.fromEntries(countNames.map((name) => [name, z.number().default(0)])) as Record<
    (typeof countNames)[number],
    z.ZodDefault<z.ZodNumber>
  >,
);

/** A change of a crawl as a whole, as an event shows it. */
const changeSchema = z.object({
  /** Number of the change; the first of a crawl is 0. */
  n: z.number(),
  kind: z.enum(['created', 'paused', 'resumed', 'failed', 'ended']),
  atMs: z.number(),
  /** Number of page records at that time; none was being appended. */
  pages: z.number(),
  /** ended: the reason. failed: the error. */
  detail: z.string(),
});

export type CrawlChange = z.output<typeof changeSchema>;

const webhookSchema = z.object({ url: z.string(), secret: z.string(), content: z.enum(contents) });

/** Target of a crawl's events. `secret` signs them; no answer and no log contains it. */
export type Webhook = z.output<typeof webhookSchema>;

export type CrawlCounts = z.output<typeof countsSchema>;

const fileSchema = z.object({
  format: z.literal(1),
  name: z.string(),
  owner: z.string(),
  weight: z.number(),
  createdAtMs: z.number(),
  /** Distinguishes the crawl from others of its name. Absent: an earlier release created it. */
  incarnation: z.string().optional(),
  wish: z.enum(wishes),
  seeds: z.array(z.string()),
  policy: z.record(z.string(), z.unknown()),
  idempotencyKey: z.string(),
  requestHash: z.string(),
  end: z.string().nullable(),
  failure: z.string().nullable(),
  /** Reason why the crawl ended without any page. null: it has pages, or has not ended. */
  noPage: z.string().nullable().default(null),
  /** Reason why the crawl must not run until the operator resumes it. null: it may run. */
  hold: z.string().nullable().default(null),
  counts: countsSchema,
  changes: z.array(changeSchema).default([]),
  webhook: webhookSchema.nullable().default(null),
  output: z.object({ markdown: z.boolean(), warc: z.boolean().optional() }).default({ markdown: false }),
});

export type CrawlFile = z.output<typeof fileSchema>;

export const noCounts: CrawlCounts = countsSchema.parse({});

const fileName = 'fleet.json';
const [making, going] = ['.new-', '.gone-'];

/** Returns the names of the crawls in a fleet's folder, for readers beside the fleet. null: not a fleet's folder. */
export async function crawlsOfFleet(folder: string): Promise<string[] | null> {
  if (existsSync(join(folder, 'manifest.json')) || !existsSync(join(folder, 'crawls'))) return null;
  const names = (await readdir(join(folder, 'crawls'))).sort();
  const crawls = names.filter((name) => !name.startsWith('.') && existsSync(join(folder, 'crawls', name, fileName)));
  return crawls.length > 0 || existsSync(join(folder, 'journal')) ? crawls : null;
}

/** Parses an entry. Throws DATA_FOLDER_FOREIGN if it is invalid. `place`: location of the text, for the error. */
export function crawlFileOf(text: string, place: string): CrawlFile {
  try {
    return fileSchema.parse(JSON.parse(text));
  } catch (error) {
    throw unreadable(place, error);
  }
}

function unreadable(place: string, error: unknown): CrawlstreamError {
  const remedy = 'restore it from a backup, or move that folder elsewhere';
  const message = `${place} cannot be read (${(error as Error).message.split('\n')[0]}): ${remedy}`;
  return new CrawlstreamError('DATA_FOLDER_FOREIGN', message, error);
}

/** Stored entries of a fleet's crawls, and the place of their data. */
export interface CrawlKeep {
  /** The folder of a crawl. */
  pathOf(name: string): string;
  /** Lists all crawls. Removes crawls that a kill left half created or half deleted. */
  list(): Promise<CrawlFile[]>;
  /** `make` makes the crawl's data. A kill leaves a complete crawl, or parts that the next `list` removes. */
  create(file: CrawlFile, make: (path: string) => Promise<void>): Promise<void>;
  /** Atomic. */
  write(file: CrawlFile): Promise<void>;
  /** Removes a crawl with all its data. */
  remove(name: string): Promise<void>;
}

export class CrawlFiles implements CrawlKeep {
  readonly #folder: string;
  readonly #documents: Documents;
  readonly #onGone: (path: string) => Promise<void>;
  /** Folders of crawls that could not be deleted completely, by name. */
  readonly #halfGone = new Map<string, string>();
  #number = 0;

  /**
   * `fleet`: folder of the fleet. `onGone`: called before the files of a deleted crawl at `path` are removed, to release
   * its data in other places. After a kill it is called again.
   */
  constructor(fleet: string, onGone: (path: string) => Promise<void> = async () => {}) {
    this.#folder = join(fleet, 'crawls');
    this.#documents = folderDocuments(fleet);
    this.#onGone = onGone;
  }

  pathOf(name: string): string {
    return join(this.#folder, name);
  }

  async list(): Promise<CrawlFile[]> {
    await makeFolder(this.#folder, 0o700);
    const files: CrawlFile[] = [];
    for (const name of (await readdir(this.#folder)).sort()) {
      if (name.startsWith(making)) await this.#remove(name);
      else if (name.startsWith(going)) await this.#finish(name);
      else files.push(await this.#read(name));
    }
    return files;
  }

  /** Atomic: the crawl exists once `make` has made its data folder and the folder is renamed. */
  async create(file: CrawlFile, make: (path: string) => Promise<void>): Promise<void> {
    const path = this.pathOf(`${making}${file.name}`);
    await rm(path, { recursive: true, force: true });
    await make(path);
    await this.#put(`${making}${file.name}`, file);
    await renameWritten(path, this.pathOf(file.name));
    this.#halfGone.delete(file.name);
  }

  write(file: CrawlFile): Promise<void> {
    return this.#put(file.name, file);
  }

  /** The name is free at once. If this fails, the next call continues. */
  async remove(name: string): Promise<void> {
    let gone = this.#halfGone.get(name);
    if (gone === undefined) {
      gone = `${going}${process.pid}-${this.#number++}-${name}`;
      const to = this.pathOf(gone);
      try {
        await renameWritten(this.pathOf(name), to);
      } finally {
        if (existsSync(to)) this.#halfGone.set(name, gone);
      }
    } else await syncFolder(this.#folder);
    await this.#finish(gone);
    this.#halfGone.delete(name);
  }

  async #finish(gone: string): Promise<void> {
    await this.#onGone(this.pathOf(gone));
    await this.#remove(gone);
  }

  #remove(name: string): Promise<void> {
    return rm(this.pathOf(name), { recursive: true, force: true, maxRetries: 3 });
  }

  #put(folder: string, file: CrawlFile): Promise<void> {
    return this.#documents.put(`crawls/${folder}/${fileName}`, `${JSON.stringify(file, null, 2)}\n`);
  }

  async #read(name: string): Promise<CrawlFile> {
    const key = `crawls/${name}/${fileName}`;
    const place = this.#documents.placeOf(key);
    let text: string | undefined;
    try {
      text = await this.#documents.get(key);
    } catch (error) {
      throw unreadable(place, error);
    }
    if (text === undefined) throw unreadable(place, new Error('the file is missing'));
    return crawlFileOf(text, place);
  }
}
