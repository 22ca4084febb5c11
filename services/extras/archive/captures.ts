/**
 * The payloads that an archive has already, and the last answer of each URL: the targets of revisit records.
 *
 * One row for each payload worth a pointer, and one for each URL with a response that allows conditional requests
 * (ETag, Last-Modified). The rows of a batch are written with its checkpoint, so a restarted archiver writes the same
 * records again.
 */
import { createHash } from 'node:crypto';
import type { Response } from '../../../schemas/types.ts';
import type { StateStore, StoreOp } from '../../runtime/store/store.ts';

/** The first archived capture of a payload. */
export interface FirstCapture {
  readonly url: string;
  /** Start of its capture, ms since the Unix epoch. */
  readonly atMs: number;
}

/** The last capture of a URL, with its digest. */
export interface LastAnswer extends FirstCapture {
  readonly digest: string;
}

/** The rows that one batch may need, and those that it adds. */
export interface Captures {
  /**
   * The first capture of this payload. Undefined: there is none, a pointer would be longer than the payload, or it
   * may differ.
   */
  payloadOf(response: Response, digest: string): FirstCapture | undefined;
  /** The unchanged response behind a 304. Undefined: not in the archive. */
  unchanged(response: Response): LastAnswer | undefined;
  /**
   * Records an archived response; returns the rows to store. `first`: the earlier capture of its payload, if there is
   * one.
   */
  learn(response: Response, digest: string, first: FirstCapture | undefined, atMs: number): StoreOp[];
}

export async function readCaptures(
  store: StateStore,
  batch: readonly { readonly value: Response }[],
  digests: readonly string[],
): Promise<Captures> {
  const payloads = await rowsOf<FirstCapture>(store, digests, payloadKey);
  const asked = batch.filter(({ value }) => value.status === 304).map(({ value }) => value.url);
  const answers = await rowsOf<LastAnswer>(store, asked, answerKey);
  return {
    payloadOf: (response, digest) => (isWorthSharing(response) ? payloads.get(digest) : undefined),
    unchanged: ({ status, url }) => (status === 304 ? answers.get(url) : undefined),
    learn(response, digest, first, atMs) {
      const ops: StoreOp[] = [];
      const capture: FirstCapture = first ?? { url: response.url, atMs };
      if (first === undefined && isWorthSharing(response)) {
        payloads.set(digest, capture);
        ops.push(payloadRow(digest, capture));
      }
      if (response.status === 200 && !response.truncated && hasValidator(response)) {
        const answer = { ...capture, digest };
        answers.set(response.url, answer);
        ops.push(answerRow(response.url, answer));
      }
      return ops;
    },
  };
}

export function payloadRow(digest: string, capture: FirstCapture): StoreOp {
  return { key: payloadKey(digest), value: Buffer.from(JSON.stringify(capture)) };
}

export function answerRow(url: string, answer: LastAnswer): StoreOp {
  return { key: answerKey(url), value: Buffer.from(JSON.stringify(answer)) };
}

async function rowsOf<T>(store: StateStore, names: readonly string[], keyOf: (name: string) => Buffer) {
  const wanted = [...new Set(names)];
  const values = await store.getMany(wanted.map(keyOf));
  const rows = new Map<string, T>();
  for (const [i, value] of values.entries()) {
    if (value !== undefined) rows.set(wanted[i]!, JSON.parse(value.toString()) as T);
  }
  return rows;
}

/**
 * False if the pointer of a revisit would be longer than the payload, or if the body was cut, since it may not be the
 * same.
 */
function isWorthSharing({ body, bodyBytes, truncated }: Response): boolean {
  return body.length + bodyBytes > 256 && !truncated;
}

function hasValidator({ headers }: Response): boolean {
  return headers.some((name, i) => i % 2 === 0 && (name === 'etag' || name === 'last-modified'));
}

/** The rows of both kinds. */
export const captureRanges = ['G', 'U'].map((space) => ({
  gte: Buffer.from(space),
  lt: Buffer.from(String.fromCharCode(space.charCodeAt(0) + 1)),
}));

function payloadKey(digest: string): Buffer {
  return Buffer.from(`G${digest}`);
}

/** The key has the same length for all URLs. */
export function answerKey(url: string): Buffer {
  return Buffer.concat([Buffer.from('U'), createHash('sha1').update(url).digest()]);
}
