/**
 * Indexes of other archives (CDXJ): their payloads count as known, so that this archive does not store them again.
 *
 * Each index is read once, even if a kill makes its reader start a second time: a row names each file that was read to
 * its end.
 */
import { stat } from 'node:fs/promises';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { readLines } from '../../runtime/lines/read-lines.ts';
import type { StateStore, StoreOp } from '../../runtime/store/store.ts';
import { answerRow, payloadRow } from './captures.ts';

/** Rows of an index that are stored at once. */
const rowsAtOnce = 2_000;

/** Takes the indexes into an archiver's store. Throws INVALID_ARGUMENT and INVALID_RECORD, which name the file. */
export async function learnIndexes(store: StateStore, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    const { size, mtimeMs } = await stat(path).catch((cause: Error) => {
      throw new CrawlstreamError('INVALID_ARGUMENT', `${path} cannot be read: ${cause.message}`, cause);
    });
    const mark = Buffer.from(`K${size} ${mtimeMs} ${path}`);
    if ((await store.get(mark)) !== undefined) continue;
    let ops: StoreOp[] = [];
    let number = 0;
    for await (const lines of readLines(path)) {
      for (const line of lines) {
        number += 1;
        if (line === '' || line.startsWith('!')) continue;
        const rows = rowsOfLine(line);
        if (rows === null)
          throw new CrawlstreamError('INVALID_RECORD', `${path}, line ${number}: not a line of a CDXJ index`);
        ops.push(...rows);
      }
      if (ops.length < rowsAtOnce) continue;
      await store.write(ops);
      ops = [];
    }
    await store.write([...ops, { key: mark, value: Buffer.alloc(0) }], { sync: true });
  }
}

/** Null: not a line of an index. Empty: not a capture that a revisit could refer to. */
function rowsOfLine(line: string): StoreOp[] | null {
  const [, time, json] = /^\S+ (\d{14}) (\{.*\})$/.exec(line) ?? [];
  if (time === undefined || json === undefined) return null;
  let fields: Record<string, unknown>;
  try {
    fields = JSON.parse(json) as Record<string, unknown>;
  } catch {
    return null;
  }
  const { url, mime, status, digest } = fields;
  if (typeof url !== 'string' || typeof digest !== 'string' || mime === 'warc/revisit') return [];
  if (`${status}` !== '200') return [];
  // Some tools leave out the name of the algorithm.
  const named = /^[A-Z2-7]{32}$/.test(digest) ? `sha1:${digest}` : digest;
  const capture = { url, atMs: timeOf(time) };
  return [payloadRow(named, capture), answerRow(url, { ...capture, digest: named })];
}

function timeOf(digits: string): number {
  const [, year, month, day, hour, minute, second] = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$/.exec(digits)!;
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`) || 0;
}
