/**
 * The crawls of a fleet on Kafka: each has a document, and topics for its data. A crawl that is being created or
 * deleted is marked, so that the next owner of the fleet completes this after a kill.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type CrawlFile, type CrawlKeep, crawlFileOf } from './crawl-file.ts';
import type { Documents, ReadableDocuments } from './documents/documents.ts';

export interface CrawlTopicsOptions {
  readonly documents: Documents;
  /** Folder of this process, with a folder of reproducible data for each crawl. */
  readonly data: string;
  /** Deletes all topics of a crawl, if there are any. */
  drop(name: string): Promise<void>;
}

const root = 'crawls/';
const fileKey = (name: string) => `${root}${name}/fleet.json`;
/** Key of a crawl's mark: `making` or `going`. */
const markKey = (name: string) => `${root}${name}/topics`;

/** Returns the names of the crawls that exist, in order. */
export async function crawlsIn(documents: ReadableDocuments): Promise<string[]> {
  const crawls: string[] = [];
  for (const name of await namesIn(documents)) {
    const isThere = (await documents.get(fileKey(name))) !== undefined;
    if (isThere && (await documents.get(markKey(name))) !== 'going') crawls.push(name);
  }
  return crawls;
}

/** Returns the document of a crawl; undefined: it does not exist, or is being deleted. */
export async function crawlFileIn(
  documents: ReadableDocuments,
  name: string,
): Promise<{ readonly text: string; readonly place: string } | undefined> {
  const text = await documents.get(fileKey(name));
  if (text === undefined || (await documents.get(markKey(name))) === 'going') return undefined;
  return { text, place: documents.placeOf(fileKey(name)) };
}

/** Returns the names of all crawls, including those that are being created or deleted. */
async function namesIn(documents: ReadableDocuments): Promise<ReadonlySet<string>> {
  return new Set((await documents.keys(root)).map((key) => key.slice(root.length).split('/')[0]!));
}

export class CrawlTopics implements CrawlKeep {
  readonly #options: CrawlTopicsOptions;

  constructor(options: CrawlTopicsOptions) {
    this.#options = options;
  }

  pathOf(name: string): string {
    return join(this.#options.data, 'crawls', name);
  }

  async list(): Promise<CrawlFile[]> {
    const { documents } = this.#options;
    const files: CrawlFile[] = [];
    for (const name of await namesIn(documents)) {
      const mark = await documents.get(markKey(name));
      const text = await documents.get(fileKey(name));
      if (mark === 'going' || text === undefined) await this.#finish(name);
      else {
        await documents.delete(markKey(name));
        files.push(crawlFileOf(text, documents.placeOf(fileKey(name))));
      }
    }
    return files;
  }

  async create(file: CrawlFile, make: (path: string) => Promise<void>): Promise<void> {
    const { documents } = this.#options;
    const { name } = file;
    await documents.put(markKey(name), 'making');
    try {
      await make(this.pathOf(name));
    } catch (error) {
      await this.#finish(name);
      throw error;
    }
    await this.write(file);
    await documents.delete(markKey(name));
  }

  write(file: CrawlFile): Promise<void> {
    return this.#options.documents.put(fileKey(file.name), JSON.stringify(file));
  }

  async remove(name: string): Promise<void> {
    await this.#options.documents.put(markKey(name), 'going');
    await this.#finish(name);
  }

  /** Deletes a crawl's topics, folder and documents. The mark is deleted last. */
  async #finish(name: string): Promise<void> {
    const { documents, drop } = this.#options;
    await drop(name);
    await rm(this.pathOf(name), { recursive: true, force: true, maxRetries: 3 });
    const mark = markKey(name);
    for (const key of await documents.keys(`${root}${name}/`)) if (key !== mark) await documents.delete(key);
    await documents.delete(mark);
  }
}
