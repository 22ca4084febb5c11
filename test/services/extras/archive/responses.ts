/** Responses to archive, and an archiver in small files. */
import { join } from 'node:path';
import { blankResponse } from '../../../../schemas/blank.ts';
import type { Response } from '../../../../schemas/types.ts';
import { openArchiver } from '../../../../services/extras/archive/archiver.ts';
import type { Received } from '../../../../services/runtime/consumer/received.ts';
import type { StateStore } from '../../../../services/runtime/store/store.ts';

export function response(n: number): Received<'responses'> {
  // Every third body was there before.
  const text = `<title>${n % 3 === 0 ? 'same' : n}</title>${'words and more words '.repeat(40)}`;
  const value: Response = {
    ...blankResponse,
    url: `http://www.a${n % 2}.test:8080/page/${n}?Q=1`,
    hostKey: `www.a${n % 2}.test:8080`,
    fetchedAtMs: 1_700_000_000_000 + n,
    address: '127.0.0.1',
    status: n % 7 === 6 ? 404 : 200,
    requestHeaders: ['user-agent', 'crawlstream'],
    headers: ['content-type', 'text/html; charset=utf-8', 'transfer-encoding', 'chunked', 'x-latin', 'caf\u00e9'],
    body: n % 7 === 6 ? Buffer.alloc(0) : Buffer.from(text),
    truncated: n % 7 === 6,
    durationMs: n,
    noArchiveFromMs: -1,
  };
  return {
    topic: 'responses',
    value,
    partition: 0,
    offset: n,
    timestampMs: 0,
    record: {
      topic: 'c.responses',
      partition: 0,
      offset: n,
      timestampMs: 0,
      key: null,
      value: Buffer.alloc(0),
      headers: {},
    },
  };
}

export const all = Array.from({ length: 60 }, (_, n) => response(n));

export async function archiverOn(folder: string, store: StateStore) {
  return openArchiver({
    ...{ folder, bodies: join(folder, 'bodies'), orphanMs: 0, store, crawl: 'c', version: '0' },
    fileBytesMax: 12_000,
  });
}

export async function archive(folder: string, store: StateStore, from: number, to: number, batch = 7): Promise<void> {
  const archiver = await archiverOn(folder, store);
  const signal = new AbortController().signal;
  for (let at = from; at < to; at += batch) {
    const some = all.slice(at, Math.min(to, at + batch));
    await archiver.handle(some, {
      positions: [{ topic: 'c.responses', partition: 0, offset: at + some.length }],
      signal,
    });
  }
}
