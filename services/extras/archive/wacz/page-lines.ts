/** The list of pages of a WACZ (JSON lines, `json-pages-1.0`): each HTML page that was got, with its title. */
import { type HttpMessage, headerOf } from '../http-message.ts';
import { IndexedRecords } from '../indexed-record.ts';
import type { IndexLine } from '../merged-index.ts';
import { sha256Of } from './sha256.ts';

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
  const records = new IndexedRecords();
  try {
    for await (const line of lines) {
      // Media files need not be read to know that they are not pages.
      if (!mayBeHtml.test(line.mime)) continue;
      const { message } = await records.read(line);
      if (message.status !== 200 || !isHtml(message)) continue;
      const { url, time } = line;
      const title = await titleOf(url, message);
      const id = sha256Of(Buffer.from(`${time} ${url}`)).slice('sha256:'.length, 'sha256:'.length + 16);
      yield { id, url, ts: isoOf(time), ...(title !== '' && { title }) };
    }
  } finally {
    await records.close();
  }
}

function isHtml({ headers }: HttpMessage): boolean {
  return /^\s*(?:text\/html|application\/xhtml\+xml)\b/i.test(headerOf(headers, 'content-type'));
}

function isoOf(time: string): string {
  const [, year, month, day, hour, minute, second] = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$/.exec(time)!;
  return `${year}-${month}-${day}T${hour}:${minute}:${second}Z`;
}
