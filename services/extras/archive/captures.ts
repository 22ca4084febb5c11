/**
 * Which payloads are in an archive already, and what each URL last gave: what revisit records point to.
 *
 * One row for each payload worth a pointer, and one for each URL whose response can be asked about by a condition
 * (ETag, Last-Modified). Rows of a batch are written with its checkpoint, so what a killed archiver writes again, it
 * writes the same.
 */
import { createHash } from 'node:crypto';
import type { Response } from '../../../schemas/types.ts';
import type { StateStore, StoreOp } from '../../runtime/store/store.ts';

/** Where a payload was archived first. */
export interface FirstCapture {
  readonly url: string;
  /** When its capture began, ms since the Unix epoch. */
  readonly atMs: number;
}

/** The last capture of a URL: its payload, and its place. */
export interface LastAnswer extends FirstCapture {
  readonly digest: string;
}

/** The rows that one batch may need, and those that it adds. */
export interface Captures {
  /** Where this payload is. Undefined: nowhere, or a pointer would be longer than it, or it may be another. */
  payloadOf(response: Response, digest: string): FirstCapture | undefined;
  /** The unchanged response behind a 304. Undefined: not in the archive. */
  unchanged(response: Response): LastAnswer | undefined;
  /** Learns of a response that was archived; returns what is to be stored. `first`: where its payload is, if elsewhere. */
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
 * There is no revisit where the pointer would be longer than the payload, or where the body was cut, since it may not
 * be the same.
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

/** Of one length, whatever the URL's. */
export function answerKey(url: string): Buffer {
  return Buffer.concat([Buffer.from('U'), createHash('sha1').update(url).digest()]);
}
