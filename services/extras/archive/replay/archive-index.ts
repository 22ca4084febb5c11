/**
 * The indexes of some WARC files, asked as one. Nothing of them is held: each question is a binary search in each file.
 */
import { basename } from 'node:path';
import { indexOf } from '../merged-index.ts';
import { surtOf } from '../surt.ts';
import { type Capture, captureOfLine } from './capture.ts';
import { fromFile, fromMemory, linesFrom } from './sorted-lines.ts';

export interface IndexedFile {
  /** Path of the WARC file. */
  readonly file: string;
  /** Its index if there is no file beside it: sorted lines. */
  readonly lines?: Buffer;
}

/** A summary of the captures of a URL. */
export interface Survey {
  readonly captures: number;
  /** The best capture for the requested time. */
  readonly best: Capture;
  readonly first: Capture;
  readonly last: Capture;
  /** Neighbours of the best one in time. */
  readonly before: Capture | null;
  readonly after: Capture | null;
}

export class ArchiveIndex {
  readonly #files: readonly IndexedFile[];
  readonly #paths: ReadonlyMap<string, string>;

  /** `files`: no two with the same name. */
  constructor(files: readonly IndexedFile[]) {
    this.#files = files;
    this.#paths = new Map(files.map(({ file }) => [basename(file), file]));
  }

  /** Captures with a key not less than `key`, by key and time, from all files. */
  async *from(key: string): AsyncGenerator<Capture> {
    const heads: { capture: Capture; readonly rest: AsyncIterator<Capture> }[] = [];
    const all: AsyncIterator<Capture>[] = [];
    try {
      for (const file of this.#files) {
        const rest = this.#capturesIn(file, key);
        all.push(rest);
        const { value, done } = await rest.next();
        if (!done) heads.push({ capture: value, rest });
      }
      while (heads.length > 0) {
        let least = heads[0]!;
        for (const head of heads) if (isBefore(head.capture, least.capture)) least = head;
        yield least.capture;
        const { value, done } = await least.rest.next();
        if (done) heads.splice(heads.indexOf(least), 1);
        else least.capture = value;
      }
    } finally {
      for (const one of all) await one.return?.();
    }
  }

  /** The captures of a URL and of its other spellings, by time. */
  async *of(url: string): AsyncGenerator<Capture> {
    const key = surtOf(url);
    for await (const capture of this.from(`${key} `)) {
      if (capture.key !== key) return;
      yield capture;
    }
  }

  /** Null: there is no capture of the URL. */
  async survey(url: string, atMs: number): Promise<Survey | null> {
    let [captures, best, first, last]: [number, Capture | null, Capture | null, Capture | null] = [0, null, null, null];
    for await (const capture of this.of(url)) {
      captures += 1;
      first ??= capture;
      last = capture;
      if (best === null || isNearer(capture, best, url, atMs)) best = capture;
    }
    if (best === null || first === null || last === null) return null;
    let [before, after]: [Capture | null, Capture | null] = [null, null];
    for await (const capture of this.of(url)) {
      if (capture.atMs < best.atMs) before = capture;
      else if (capture.atMs > best.atMs) {
        after = capture;
        break;
      }
    }
    return { captures, best, first, last, before, after };
  }

  /** The capture with a revisit's payload: of this URL and second, or with this digest. */
  async payload(url: string, atMs: number | null, digest: string): Promise<Capture | null> {
    let found: Capture | null = null;
    for await (const capture of this.of(url)) {
      if (capture.mime === 'warc/revisit') continue;
      const isThen = atMs !== null && Math.floor(capture.atMs / 1_000) === Math.floor(atMs / 1_000);
      const isSame = digest !== '' && capture.digest === digest;
      if (isThen && (isSame || digest === '')) return capture;
      if (isThen || isSame) found = found === null || isThen ? capture : found;
    }
    return found;
  }

  async *#capturesIn({ file, lines }: IndexedFile, key: string): AsyncGenerator<Capture> {
    const texts =
      lines === undefined
        ? fromFile(indexOf(file), (source) => linesFrom(source, key))
        : linesFrom(fromMemory(file, lines), key);
    for await (const line of texts) {
      const capture = captureOfLine(line, (name) => this.#paths.get(name));
      if (capture !== null) yield capture;
    }
  }
}

function isBefore(a: Capture, b: Capture): boolean {
  return a.key === b.key ? a.time < b.time : a.key < b.key;
}

/**
 * Returns whether a capture is better. An index has several spellings of a URL under one key. Another spelling that
 * only redirects (http to https, mostly to this very URL) would lead in a circle, and another query or path in other
 * letter case may be another page: those come last.
 */
function isNearer(one: Capture, best: Capture, url: string, atMs: number): boolean {
  const rank = rankOf(one, url) - rankOf(best, url);
  if (rank !== 0) return rank < 0;
  const nearer = Math.abs(one.atMs - atMs) - Math.abs(best.atMs - atMs);
  return nearer < 0 || (nearer === 0 && one.url === url && best.url !== url);
}

function rankOf({ url: is, status }: Capture, url: string): number {
  if (is === url) return 0;
  if (status >= 300 && status < 400) return 2;
  return withoutScheme(is) === withoutScheme(url) ? 0 : 1;
}

function withoutScheme(url: string): string {
  return url.replace(/^https?:\/\/(?:www\d*\.)?/, '');
}
