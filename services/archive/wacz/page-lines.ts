/** The list of pages of a WACZ (JSON lines, `json-pages-1.0`): each HTML page that was got, with its title. */
import { type FileHandle, open } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { archiveLimits } from '../archive-limits.ts';
import { type HttpMessage, httpMessageOf } from '../http-message.ts';
import type { IndexLine } from './merged-index.ts';
import { sha256Of } from './sha256.ts';

const unzip = promisify(gunzip);

export interface PageLine {
  readonly id: string;
  readonly url: string;
  /** ISO 8601. */
  readonly ts: string;
  readonly title?: string;
}

const mayBeHtml = /^$|html|^unk$|^warc\/revisit$/;

/** Empty: it has none, or its payload is elsewhere. */
export type TitleOf = (url: string, message: HttpMessage) => Promise<string>;

export async function* pageLines(lines: AsyncIterable<IndexLine>, titleOf: TitleOf): AsyncGenerator<PageLine> {
  const handles = new Map<string, FileHandle>();
  try {
    for await (const line of lines) {
      // Films need not be read to know that they are no pages.
      if (!mayBeHtml.test(line.mime)) continue;
      const handle = handles.get(line.file) ?? (await open(line.file));
      handles.set(line.file, handle);
      const message = await readMessage(handle, line);
      if (message.status !== 200 || !isHtml(message)) continue;
      const { url, time } = line;
      const title = await titleOf(url, message);
      const id = sha256Of(Buffer.from(`${time} ${url}`)).slice('sha256:'.length, 'sha256:'.length + 16);
      yield { id, url, ts: isoOf(time), ...(title !== '' && { title }) };
    }
  } finally {
    for (const handle of handles.values()) await handle.close();
  }
}

/** The HTTP response of a record: its head alone where the record is a revisit. */
async function readMessage(handle: FileHandle, { file, offset, length, url }: IndexLine): Promise<HttpMessage> {
  const fail = (why: string) =>
    new CrawlstreamError('INVALID_RECORD', `${file}: the index says that ${url} is at ${offset}, but ${why}`);
  if (length > archiveLimits.recordBytesMax) throw fail(`it is ${length} bytes long`);
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, offset);
  if (bytesRead < length) throw fail('the file ends before');
  const isZipped = buffer[0] === 0x1f && buffer[1] === 0x8b;
  const record = isZipped
    ? await unzip(buffer, { maxOutputLength: archiveLimits.recordBytesMax }).catch(() => null)
    : buffer;
  const end = record?.indexOf('\r\n\r\n') ?? -1;
  if (record === null || !/^WARC\/1\.\d\r\n/.test(record.toString('latin1', 0, 10))) throw fail('no record is there');
  const message = httpMessageOf(record.subarray(end + 4));
  if (message === null) throw fail('no response is there');
  return message;
}

function isHtml({ headers }: HttpMessage): boolean {
  const at = headers.findIndex((name, i) => i % 2 === 0 && name === 'content-type');
  return at >= 0 && /^\s*(?:text\/html|application\/xhtml\+xml)\b/i.test(headers[at + 1]!);
}

function isoOf(time: string): string {
  const [, year, month, day, hour, minute, second] = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$/.exec(time)!;
  return `${year}-${month}-${day}T${hour}:${minute}:${second}Z`;
}
