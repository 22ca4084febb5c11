/**
 * Files that other programs expect beside archives, one for each WARC file: WET has the text of its pages, and WAT the
 * metadata of its records and pages. The format is Common Crawl's: WARC files of conversion records, and of metadata
 * records in JSON. Source: commoncrawl.org/get-started, IIPC's "Web Archive Transformation (WAT) Specification".
 */
import { open, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { renameWritten } from '../../../runtime/disk/durable-names.ts';
import { writeWhole } from '../../../runtime/disk/write-whole.ts';
import { type HttpMessage, httpMessageOf } from '../http-message.ts';
import { type ReadRecord, readWarc } from '../warc-reader.ts';
import { type WarcRecord, warcBytes } from '../warc-record.ts';
import { watBlock } from './wat.ts';

export type Derived = 'wat' | 'wet';

/** Bytes read of a page. */
export interface DerivedPage {
  readonly title: string;
  readonly text: string;
  /** Absolute. */
  readonly links: readonly string[];
  readonly canonical: string;
  /** The language that the page declares. Empty: none. */
  readonly language: string;
}

export interface DeriveOptions {
  readonly kind: Derived;
  /** Path of a WARC file. */
  readonly file: string;
  /** Folder of the output. */
  readonly out: string;
  /** Null: not a page. */
  readonly pageOf: (url: string, message: HttpMessage) => Promise<DerivedPage | null>;
  readonly software: string;
}

const compress = promisify(gzip);

/** Returns the file's name, and its number of records without the first. The file gets its name once it is complete. */
export async function derive(options: DeriveOptions): Promise<{ readonly file: string; readonly records: number }> {
  const { kind, file, out } = options;
  const name = `${basename(file).replace(/\.warc(\.gz)?$/, '')}.warc.${kind}.gz`;
  const path = join(out, name);
  const handle = await open(`${path}.part`, 'w');
  let records = 0;
  try {
    const write = async (record: WarcRecord) => writeWhole(handle, [await compress(warcBytes(record))]);
    let isFirst = true;
    for await (const record of readWarc(file)) {
      if (isFirst) await write(firstRecord(name, record, options));
      isFirst = false;
      const derived = await derivedOf(record, options);
      if (derived === null) continue;
      await write(derived);
      records += 1;
    }
    await handle.close();
    await renameWritten(`${path}.part`, path);
    return { file: path, records };
  } catch (error) {
    await handle.close();
    await rm(`${path}.part`, { force: true });
    throw error;
  }
}

function firstRecord(name: string, { fields }: ReadRecord, { kind, file, software }: DeriveOptions): WarcRecord {
  const lines = {
    software,
    format: 'WARC File Format 1.1',
    description: `${kind === 'wet' ? 'text' : 'metadata'} of ${basename(file)}`,
  };
  return {
    type: 'warcinfo',
    identity: `${name} warcinfo`,
    atMs: timeOf(fields),
    contentType: 'application/warc-fields',
    fields: [['WARC-Filename', name]],
    block: Buffer.from(
      Object.entries(lines)
        .map(([field, value]) => `${field}: ${value}\r\n`)
        .join(''),
    ),
  };
}

/** Null: nothing is derived of it. */
async function derivedOf(record: ReadRecord, options: DeriveOptions): Promise<WarcRecord | null> {
  const { type, fields, block } = record;
  const id = fields.get('warc-record-id') ?? '';
  const url = fields.get('warc-target-uri')?.replace(/^<|>$/g, '');
  const common = { identity: `${id} ${options.kind}`, atMs: timeOf(fields), ...(url !== undefined && { url }) };
  const message = type === 'response' ? httpMessageOf(block) : null;
  const page = message?.status === 200 && url !== undefined ? await options.pageOf(url, message) : null;
  if (options.kind === 'wat') {
    const made = watBlock(basename(options.file), record, message, page);
    return {
      ...common,
      type: 'metadata',
      contentType: 'application/json',
      fields: [['WARC-Refers-To', id]],
      block: made,
    };
  }
  if (page === null || page.text === '') return null;
  const language = page.language === '' ? [] : [['X-Declared-Language', page.language] as const];
  return {
    ...common,
    type: 'conversion',
    contentType: 'text/plain',
    fields: [['WARC-Refers-To', id], ...language],
    block: Buffer.from(page.text),
  };
}

function timeOf(fields: ReadonlyMap<string, string>): number {
  return Date.parse(fields.get('warc-date') ?? '') || 0;
}
