/**
 * The places of a URL's values: its parameters, and the path segments that are numbers or tokens. A place can be given
 * another value, so that the variants of a page become one URL.
 */
import { shapeOf } from './shape.ts';
import { trapLimits } from './trap-limits.ts';

export interface Value {
  /** `{NAME}` for a parameter, `{SHAPES}` for a segment, the two or more of several tokens with a blank between them. */
  readonly place: string;
  /** The value; of several tokens, the values with a blank between them. */
  readonly value: string;
  /** The URL without the value: equal for its variants. */
  readonly base: string;
  /** A session, a hash, a time: nobody chooses among such values by reading them. */
  readonly isToken: boolean;
}

interface Piece {
  readonly place: string;
  readonly value: string;
  readonly start: number;
  readonly end: number;
  readonly isToken: boolean;
}

/** The places of a normal URL, at most `placesPerUrlMax`, and last all of its tokens together, if it has several. */
export function placesOf(url: string): readonly Value[] {
  const pieces = piecesOf(url).slice(0, trapLimits.placesPerUrlMax);
  const values = pieces.map((one) => valueAt(url, [one]));
  const tokens = pieces.filter(({ isToken }) => isToken);
  return tokens.length > 1 ? [...values, valueAt(url, tokens)] : values;
}

function valueAt(url: string, pieces: readonly Piece[]): Value {
  const place = pieces.map((one) => one.place).join(' ');
  const value = pieces.map((one) => one.value).join(' ');
  let base = place;
  let at = 0;
  for (const { start, end } of pieces) {
    base += url.slice(at, start);
    at = end;
  }
  return { place, value, base: base + url.slice(at), isToken: pieces.every(({ isToken }) => isToken) };
}

/** The pattern that gives places their values: `{zz}=1f2e3d4c`. A normal URL has no blank. */
export function patternOf({ place, value }: Value): string {
  const values = value.split(' ');
  return place
    .split(' ')
    .map((one, at) => `${one}=${values[at]}`)
    .join(' ');
}

export function isPlacePattern(pattern: string): boolean {
  return pattern.startsWith('{');
}

/** The URL with the values of the pattern in their places; the same URL if it has not all of these places. */
export function withValues(url: string, pattern: string): string {
  const pieces = piecesOf(url);
  let out = '';
  let at = 0;
  for (const part of pattern.split(' ')) {
    const end = part.indexOf('}=') + 1;
    const found = pieces.find(({ place, start }) => start >= at && place === part.slice(0, end));
    if (found === undefined) return url;
    out += url.slice(at, found.start) + part.slice(end + 1);
    at = found.end;
  }
  return out + url.slice(at);
}

/** In the order of the URL. */
function piecesOf(url: string): readonly Piece[] {
  const question = url.indexOf('?', 8);
  const end = question < 0 ? url.length : question;
  const names = new Set<string>();
  return [...segmentsOf(url, end, names), ...parametersOf(url, end + 1, url.length, '', names)];
}

function* segmentsOf(url: string, end: number, names: Set<string>): Generator<Piece> {
  const shape = shapeOf(url);
  let shapeAt = 0;
  for (let start = url.indexOf('/', 8) + 1; start > 0 && start <= end; ) {
    const stop = endOf(url, start, '/', end);
    const shapeStop = endOf(shape, shapeAt + 1, '/?', shape.length);
    // A shape that was cut is that of other segments, too.
    if (shapeStop >= trapLimits.shapeCharsMax) return;
    const semicolon = url.indexOf(';', start);
    if (semicolon >= 0 && semicolon < stop) yield* parametersOf(url, semicolon + 1, stop, ';', names);
    else {
      const [value, piece] = [url.slice(start, stop), shape.slice(shapeAt + 1, shapeStop)];
      const isToken = looksLikeToken(value, piece);
      if (value !== '' && value.length <= trapLimits.valueCharsMax && (isToken || piece === '#'))
        yield { place: `{${shape.slice(0, shapeStop)}}`, value, start, end: stop, isToken };
    }
    shapeAt = shapeStop;
    start = stop + 1;
  }
}

/** `kind`: `;` for the parameters of a path segment (RFC 3986 §3.3), empty for those of the query. */
function* parametersOf(url: string, from: number, to: number, kind: ';' | '', names: Set<string>): Generator<Piece> {
  for (let start = from; start < to; ) {
    const end = endOf(url, start, '&;', to);
    const equals = endOf(url, start, '=', end);
    const name = kind + url.slice(start, equals);
    const [first, length] = [equals + 1, end - equals - 1];
    if (equals > start && length > 0 && length <= trapLimits.valueCharsMax && isPlain(name, names))
      yield {
        place: `{${name}}`,
        value: url.slice(first, end),
        start: first,
        end,
        isToken: looksLikeToken(url.slice(first, end), ''),
      };
    start = end + 1;
  }
}

/** Index of the first of some characters; `to`: there is none before it. */
function endOf(text: string, from: number, characters: string, to: number): number {
  for (let at = from; at < to; at++) if (characters.includes(text[at]!)) return at;
  return to;
}

/** A name that is given once, and cannot be mistaken for the end of a place. */
function isPlain(name: string, names: Set<string>): boolean {
  if (names.has(name) || name.length > trapLimits.nameCharsMax || /[{}/ ]/.test(name)) return false;
  names.add(name);
  return true;
}

const uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
const time = /^\d{9,}$/;

/** `shape`: of the segment; empty for a parameter's value, which is shaped here. */
function looksLikeToken(value: string, shape: string): boolean {
  if (shape === '~' || time.test(value) || uuid.test(value)) return true;
  return shape === '' && value.length >= 8 && shapeOf(`https://a/?a=${value}`) === '/?a=~';
}
