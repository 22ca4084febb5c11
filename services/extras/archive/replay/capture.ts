/** A capture, read from a line of an index. */
import { msOfDigits } from './datetime.ts';

export interface Capture {
  /** The URL's key in the index: a SURT. */
  readonly key: string;
  /** 14 digits, UTC. */
  readonly time: string;
  readonly atMs: number;
  /** http or https, in the normal form of the URL standard. */
  readonly url: string;
  /** Media type; `warc/revisit` if the payload is in another record. */
  readonly mime: string;
  /** 0: not in the index. */
  readonly status: number;
  readonly digest: string;
  /** Path of the WARC file. */
  readonly file: string;
  readonly offset: number;
  readonly length: number;
}

/** Null: not a line of an index, or its file is missing. `fileOf`: returns the path of a file by its name. */
export function captureOfLine(line: string, fileOf: (name: string) => string | undefined): Capture | null {
  const [, key, time, json] = /^(\S+) (\d{14}) (\{.*\})$/.exec(line) ?? [];
  const atMs = msOfDigits(time ?? '');
  if (atMs === null) return null;
  try {
    const { url, mime, status, digest, offset, length, filename } = JSON.parse(json!) as Record<string, unknown>;
    const file = typeof filename === 'string' ? fileOf(filename) : undefined;
    const [from, bytes] = [Number(offset), Number(length)];
    if (file === undefined || !Number.isSafeInteger(from) || !Number.isSafeInteger(bytes) || from < 0 || bytes < 1) {
      return null;
    }
    const { href, protocol } = new URL(`${url}`);
    if (protocol !== 'http:' && protocol !== 'https:') return null;
    return {
      ...{ key: key!, time: time!, atMs, url: href.split('#', 1)[0]!, file, offset: from, length: bytes },
      ...{ mime: `${mime ?? ''}`, status: Number(status) || 0, digest: `${digest ?? ''}`.replace(/^sha1:/, '') },
    };
  } catch {
    return null;
  }
}
