/**
 * What a fleet keeps of a crawl beside the crawl's own data: `fleet.json` in its folder.
 *
 *   DIR/crawls/NAME/           the data folder of the crawl: every command that takes --data takes it
 *   DIR/crawls/NAME/fleet.json this
 *   DIR/crawls/.new-NAME/      a crawl that is being made: a kill leaves it, and the next start removes it
 *   DIR/crawls/.gone-…/        a crawl that is being deleted: the next start goes on with it
 *   DIR/outputs/               rows that outputs sort while clients read them; emptied at each start
 *   DIR/hosts/                 what hosts asked for that outlives the process (host-facts.ts); its lock is the fleet's
 *   DIR/least-waits.json       what the fleet's least wait was, and since when (least-waits.ts)
 *   DIR/loop.json             for which crawl the event loop stood when the process died (../runtime/loop/loop-note.ts)
 *   DIR/journal/               what crawls append, until their own logs have it durable (../runtime/store/journal)
 */
import { existsSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { makeFolder, renameWritten, syncFolder } from '../../runtime/disk/durable-names.ts';
import type { Documents } from './documents/documents.ts';
import { folderDocuments } from './documents/folder-documents.ts';
import { contents } from './fleet-contents.ts';

/** running: by will, whatever it does now. ended: it is over, and stays so. */
export const wishes = ['running', 'paused', 'ended'] as const;
export type Wish = (typeof wishes)[number];

const countsSchema = z.object({
  pages: z.number(),
  queued: z.number(),
  leased: z.number(),
  failed: z.number(),
  hosts: z.number(),
  bytes: z.number().default(0),
});

/** Actions on a crawl as a whole, as its events show them. */
const changeSchema = z.object({
  /** The first of a crawl is 0. */
  n: z.number(),
  kind: z.enum(['created', 'paused', 'resumed', 'failed', 'ended']),
  atMs: z.number(),
  /** Records of its pages that were there then; none was on its way. */
  pages: z.number(),
  /** ended: why. failed: what failed. */
  detail: z.string(),
});

export type CrawlChange = z.output<typeof changeSchema>;

const webhookSchema = z.object({ url: z.string(), secret: z.string(), content: z.enum(contents) });

/** Where a crawl's events are posted. `secret` signs them: it is answered to nobody, and in no log. */
export type Webhook = z.output<typeof webhookSchema>;

/** Places of its URLs. failed: those without a page, whatever the reason. */
export type CrawlCounts = z.output<typeof countsSchema>;

const fileSchema = z.object({
  format: z.literal(1),
  name: z.string(),
  owner: z.string(),
  weight: z.number(),
  createdAtMs: z.number(),
  /** Tells it from others of its name. Absent: an earlier release made it. */
  incarnation: z.string().optional(),
  wish: z.enum(wishes),
  seeds: z.array(z.string()),
  policy: z.record(z.string(), z.unknown()),
  idempotencyKey: z.string(),
  requestHash: z.string(),
  end: z.string().nullable(),
  failure: z.string().nullable(),
  /** Why it may not run until the operator resumes it. null: it may. */
  hold: z.string().nullable().default(null),
  counts: countsSchema,
  changes: z.array(changeSchema).default([]),
  webhook: webhookSchema.nullable().default(null),
  output: z.object({ markdown: z.boolean(), warc: z.boolean().optional() }).default({ markdown: false }),
});

export type CrawlFile = z.output<typeof fileSchema>;

export const noCounts: CrawlCounts = { pages: 0, queued: 0, leased: 0, failed: 0, hosts: 0, bytes: 0 };

const fileName = 'fleet.json';
const [making, going] = ['.new-', '.gone-'];

/** Names of the crawls of a fleet's folder, for whoever reads it beside the fleet; null: it is no fleet's. */
export async function crawlsOfFleet(folder: string): Promise<string[] | null> {
  if (existsSync(join(folder, 'manifest.json')) || !existsSync(join(folder, 'crawls'))) return null;
  const names = (await readdir(join(folder, 'crawls'))).sort();
  const crawls = names.filter((name) => !name.startsWith('.') && existsSync(join(folder, 'crawls', name, fileName)));
  return crawls.length > 0 || existsSync(join(folder, 'journal')) ? crawls : null;
}

/** Throws DATA_FOLDER_FOREIGN; `place`: where the text was found. */
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
  /** All crawls. What a kill left half made or half deleted is removed. */
  list(): Promise<CrawlFile[]>;
  /** `make` makes a crawl's data; a kill leaves a whole crawl, or what the next `list` removes. */
  create(file: CrawlFile, make: (path: string) => Promise<void>): Promise<void>;
  /** In one step. */
  write(file: CrawlFile): Promise<void>;
  /** With all its data. */
  remove(name: string): Promise<void>;
}

export class CrawlFiles implements CrawlKeep {
  readonly #folder: string;
  readonly #documents: Documents;
  readonly #onGone: (path: string) => Promise<void>;
  /** Where those are that were being deleted when that failed, by name. */
  readonly #halfGone = new Map<string, string>();
  #number = 0;

  /**
   * `fleet`: its folder. `onGone` frees what is kept elsewhere of the data at `path`: of a crawl that is deleted for good, before
   * its files go; once more after a kill.
   */
  constructor(fleet: string, onGone: (path: string) => Promise<void> = async () => {}) {
    this.#folder = join(fleet, 'crawls');
    this.#documents = folderDocuments(fleet);
    this.#onGone = onGone;
  }

  pathOf(name: string): string {
    return join(this.#folder, name);
  }

  /** All crawls. What a kill left half made or half deleted is removed. */
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

  /** In one step, after `make` has made the data folder. */
  async create(file: CrawlFile, make: (path: string) => Promise<void>): Promise<void> {
    const path = this.pathOf(`${making}${file.name}`);
    await rm(path, { recursive: true, force: true });
    await make(path);
    await this.#put(`${making}${file.name}`, file);
    await renameWritten(path, this.pathOf(file.name));
    this.#halfGone.delete(file.name);
  }

  /** In one step. */
  write(file: CrawlFile): Promise<void> {
    return this.#put(file.name, file);
  }

  /** Its name is free at once. One that failed is gone on with by the next call. */
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
