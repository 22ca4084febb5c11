/**
 * Reads an HTTP/1.1 response that deviates from the grammar, as browsers and curl do.
 *
 * It accepts: lines that end in a bare LF (RFC 9112 §2.2), folded lines (§5.2), blanks before a colon (§5.1), control
 * characters in values (RFC 9110 §5.5), status lines with other blanks or another version, a repeated equal
 * Content-Length (§6.3 item 5), Transfer-Encoding beside Content-Length (item 3), `identity`, a second `chunked` and
 * words that name no transfer coding, blanks around a chunk size (§7.1.1), and unexpected interim responses (RFC 9110
 * §15.2). A Content-Length that is not a number is ignored: the body ends with the connection. Fields with a name that
 * is not a token are dropped: consumers of the headers could not store them. Two different lengths stay an error.
 *
 * Such responses are used to smuggle responses through proxies. A client is safe if it uses the connection for one
 * response only. Invariants: held bytes are bounded by `headerBytesMax`, the work is linear in the bytes, and the
 * result does not depend on how the bytes are split.
 */
import { lenientLimits } from './lenient-limits.ts';
import { GaveUp } from './request-failure.ts';

export interface ResponseParts {
  /** `fields`: names and values in turn. Not called for interim answers. */
  onHead(status: number, fields: Buffer[], reason: string): void;
  onData(chunk: Buffer): void;
  onComplete(): void;
}

type State = 'status' | 'fields' | 'chunkSize' | 'chunkEnd' | 'trailers' | 'sized' | 'chunk' | 'untilClose' | 'done';

interface Field {
  readonly name: string;
  value: string;
}

export class LenientResponse {
  readonly #parts: ResponseParts;
  readonly #isHead: boolean;
  readonly #lineBytesMax: number;
  #state: State = 'status';
  /** Pieces of the current line. */
  #pieces: Buffer[] = [];
  #lineBytes = 0;
  /** Bytes of all counted lines. */
  #countedBytes = 0;
  #status = 0;
  #reason = '';
  #fields: Field[] = [];
  /** The field that a folded line continues. Null: a dropped line. */
  #last: Field | null = null;
  /** Remaining bytes of the body or the chunk. */
  #leftBytes = 0;

  constructor(parts: ResponseParts, options: { readonly isHead: boolean; readonly headerBytesMax: number }) {
    this.#parts = parts;
    this.#isHead = options.isHead;
    this.#lineBytesMax = options.headerBytesMax;
  }

  get isDone(): boolean {
    return this.#state === 'done';
  }

  /** Throws a GaveUp if the response cannot be read. */
  push(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length && !this.isDone) at = this.#isInBody() ? this.#body(chunk, at) : this.#line(chunk, at);
  }

  /** Call it when the server has closed the connection. Throws a GaveUp if that is too early. */
  end(): void {
    if (this.isDone) return;
    if (this.#state !== 'untilClose' && !this.#hasLastChunk())
      throw new GaveUp('connectionFailed', 'other side closed before the end of its answer');
    this.#complete();
  }

  /**
   * True if the chunk of size 0 has arrived, so that the body is whole. Its line, or the trailers after it, may lack
   * their end. Several zeros may be the start of another size.
   */
  #hasLastChunk(): boolean {
    if (this.#state === 'trailers') return true;
    return this.#state === 'chunkSize' && /^(0|0+[ \t;\r].*)$/s.test(Buffer.concat(this.#pieces).toString('latin1'));
  }

  /** Ends without `onComplete`: later bytes are not read. */
  stop(): void {
    this.#state = 'done';
  }

  #isInBody(): boolean {
    return this.#state === 'sized' || this.#state === 'chunk' || this.#state === 'untilClose';
  }

  #body(chunk: Buffer, at: number): number {
    const isBounded = this.#state !== 'untilClose';
    const end = isBounded ? Math.min(chunk.length, at + this.#leftBytes) : chunk.length;
    this.#leftBytes -= end - at;
    this.#parts.onData(chunk.subarray(at, end));
    // The consumer of the data may have stopped the reading.
    if (!isBounded || this.#leftBytes > 0 || this.isDone) return end;
    if (this.#state === 'chunk') this.#state = 'chunkEnd';
    else this.#complete();
    return end;
  }

  #line(chunk: Buffer, at: number): number {
    const lf = chunk.indexOf(10, at);
    const end = lf === -1 ? chunk.length : lf + 1;
    const free = this.#state === 'chunkSize' || this.#state === 'chunkEnd' ? lenientLimits.chunkLineFreeBytes : 0;
    const before = Math.max(0, this.#lineBytes - free);
    this.#lineBytes += end - at;
    this.#countedBytes += Math.max(0, this.#lineBytes - free) - before;
    if (this.#countedBytes > this.#lineBytesMax)
      throw new GaveUp('badResponse', `more than ${this.#lineBytesMax} bytes of header fields`);
    this.#pieces.push(chunk.subarray(at, end));
    if (lf === -1) return end;
    const line = this.#pieces.length === 1 ? this.#pieces[0]! : Buffer.concat(this.#pieces);
    this.#pieces = [];
    this.#lineBytes = 0;
    this.#lineRead(textOf(line));
    return end;
  }

  #lineRead(line: string): void {
    if (this.#state === 'status') this.#statusLine(line);
    else if (this.#state === 'fields') this.#fieldLine(line);
    else if (this.#state === 'chunkSize') this.#chunkSize(line);
    else if (this.#state === 'chunkEnd') {
      if (line !== '') throw new GaveUp('badResponse', 'a chunk is longer than its size');
      this.#state = 'chunkSize';
    } else if (line === '') this.#complete();
  }

  #statusLine(line: string): void {
    // RFC 9112 §2.2: empty lines may come first.
    if (trimmed(line) === '') return;
    const [, status, reason] = /^[ \t]*http(?:\/[^ \t]*)?[ \t]+([1-9]\d\d)(?!\d)(.*)$/i.exec(line) ?? [];
    if (status === undefined) throw new GaveUp('badResponse', 'the answer does not begin with a status line of HTTP');
    this.#status = Number(status);
    this.#reason = trimmed(reason!);
    this.#fields = [];
    this.#last = null;
    this.#state = 'fields';
  }

  #fieldLine(line: string): void {
    if (line === '') return this.#headRead();
    if (line[0] === ' ' || line[0] === '\t') {
      const more = trimmed(line);
      if (this.#last !== null && more !== '') this.#last.value += this.#last.value === '' ? more : ` ${more}`;
      return;
    }
    const colon = line.indexOf(':');
    const name = trimmed(line.slice(0, Math.max(colon, 0)));
    this.#last = token.test(name) ? { name, value: trimmed(line.slice(colon + 1)) } : null;
    if (this.#last !== null) this.#fields.push(this.#last);
  }

  #headRead(): void {
    if (this.#status < 200) {
      this.#state = 'status';
      return;
    }
    const isBare = this.#isHead || this.#status === 204 || this.#status === 304;
    const codings = isBare ? [] : listed(this.#fields, 'transfer-encoding').map(nameOfCoding);
    const refused = codings.find(changesBytes);
    if (refused !== undefined) throw new GaveUp('badResponse', `transfer coding ${refused} was not asked for`);
    const isChunked = codings.includes('chunked');
    const length = isBare ? 0 : isChunked ? null : lengthOf(listed(this.#fields, 'content-length'));
    this.#state = isChunked ? 'chunkSize' : length === null ? 'untilClose' : 'sized';
    this.#leftBytes = length ?? 0;
    const fields = this.#fields.flatMap(({ name, value }) => [
      Buffer.from(name, 'latin1'),
      Buffer.from(value, 'latin1'),
    ]);
    this.#parts.onHead(this.#status, fields, this.#reason);
    if (this.#state === 'sized' && length === 0) this.#complete();
  }

  #chunkSize(line: string): void {
    const bytes = sizeOf(line);
    if (!Number.isSafeInteger(bytes))
      throw new GaveUp('badResponse', `chunk size ${line.slice(0, 40)} is not a number`);
    this.#leftBytes = bytes;
    this.#state = bytes === 0 ? 'trailers' : 'chunk';
  }

  #complete(): void {
    this.#state = 'done';
    this.#parts.onComplete();
  }
}

const token = /^[!#$%&'*+.^_`|~\dA-Za-z-]+$/;

/** Size of the chunk that begins with this line (RFC 9112 §7.1). Some servers write `0x` before it. NaN: not a size. */
function sizeOf(line: string): number {
  const semicolon = line.indexOf(';');
  const size = trimmed(semicolon === -1 ? line : line.slice(0, semicolon));
  return /^(?:0x)?[\da-f]+$/i.test(size) ? Number.parseInt(size, 16) : Number.NaN;
}

/** A line as text of its bytes, without its end; what RFC 9110 §5.5 has replaced by spaces is. */
function textOf(line: Buffer): string {
  let end = line.length - 1;
  while (end > 0 && line[end - 1] === 13) end--;
  return line.toString('latin1', 0, end).replace(/[\r\0]/g, ' ');
}

/** Without the blanks around it. By hand: a pattern that ends in `$` is tried at each of many blanks. */
function trimmed(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text.charCodeAt(start))) start++;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}

function isBlank(code: number): boolean {
  return code === 32 || code === 9;
}

/** Members of a list, over all fields of the name, in lower case. */
function listed(fields: readonly Field[], name: string): string[] {
  const all = fields.filter((field) => field.name.toLowerCase() === name).flatMap(({ value }) => value.split(','));
  return all.map((member) => trimmed(member).toLowerCase()).filter((member) => member !== '');
}

/** Transfer codings that compress (RFC 9112 §7.2). They are sent only on request. */
const compressing: ReadonlySet<string> = new Set(['gzip', 'x-gzip', 'deflate', 'compress', 'x-compress']);

/** `coding`: one transfer coding, in lower case, with or without parameters. */
export function changesBytes(coding: string): boolean {
  return compressing.has(nameOfCoding(coding));
}

/** A transfer coding without its parameters. */
function nameOfCoding(coding: string): string {
  const semicolon = coding.indexOf(';');
  return trimmed(semicolon === -1 ? coding : coding.slice(0, semicolon));
}

/** Null: the body ends with the connection. Values that are not numbers are ignored, as in browsers. */
function lengthOf(values: readonly string[]): number | null {
  const lengths = values.filter((value) => /^\d+$/.test(value)).map(Number);
  if (lengths.length === 0) return null;
  const length = lengths[0]!;
  if (lengths.every((one) => one === length)) return Number.isSafeInteger(length) ? length : null;
  const said = [...new Set(values)].slice(0, 3).map((value) => value.slice(0, 40));
  throw new GaveUp('badResponse', `Content-Length is not one number: ${said.join(', ')}`);
}
