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
  /** A session, a hash, a time: people do not choose among such values by reading them. */
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
  const found: Found = { pieces: [], names: new Set() };
  addSegments(found, url, end);
  addParameters(found, url, end + 1, url.length, '');
  return found.pieces;
}

interface Found {
  readonly pieces: Piece[];
  /** Names of parameters so far. */
  readonly names: Set<string>;
}

function addSegments(found: Found, url: string, end: number): void {
  const shape = shapeOf(url);
  let [shapeAt, before] = [0, ''];
  for (let start = url.indexOf('/', 8) + 1; start > 0 && start <= end; ) {
    const stop = endOf(url, start, '/', end);
    const shapeStop = endOf(shape, shapeAt + 1, '/?', shape.length);
    // A shape that was cut is that of other segments, too.
    if (shapeStop >= trapLimits.shapeCharsMax) return;
    const [value, piece] = [url.slice(start, stop), shape.slice(shapeAt + 1, shapeStop)];
    const isToken = looksLikeToken(value);
    before += `/${isToken ? '~' : piece}`;
    const semicolon = value.indexOf(';');
    if (semicolon >= 0) addParameters(found, url, start + semicolon + 1, stop, ';');
    else if (value !== '' && value.length <= trapLimits.valueCharsMax && (isToken || piece === '#'))
      found.pieces.push({ place: `{${before}}`, value, start, end: stop, isToken });
    shapeAt = shapeStop;
    start = stop + 1;
  }
}

/** `kind`: `;` for the parameters of a path segment (RFC 3986 §3.3), empty for those of the query. */
function addParameters({ pieces, names }: Found, url: string, from: number, to: number, kind: ';' | ''): void {
  for (let start = from; start < to; ) {
    const end = endOf(url, start, '&;', to);
    const equals = endOf(url, start, '=', end);
    const name = kind + url.slice(start, equals);
    const [first, length] = [equals + 1, end - equals - 1];
    if (equals > start && length > 0 && length <= trapLimits.valueCharsMax && isPlain(name, names))
      pieces.push({
        place: `{${name}}`,
        value: url.slice(first, end),
        start: first,
        end,
        isToken: looksLikeToken(url.slice(first, end)),
      });
    start = end + 1;
  }
}

/** Index of the first of one or two characters; `to`: there is none before it. */
function endOf(text: string, from: number, characters: string, to: number): number {
  const [first, second] = [characters.charCodeAt(0), characters.charCodeAt(characters.length - 1)];
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at);
    if (code === first || code === second) return at;
  }
  return to;
}

/** A name that occurs once, and cannot be mistaken for the end of a place. */
function isPlain(name: string, names: Set<string>): boolean {
  if (names.has(name) || name.length > trapLimits.nameCharsMax || /[{}/ ]/.test(name)) return false;
  names.add(name);
  return true;
}

/** A Unix time, s, ms or µs, of the years 2014 to 2038. Other long numbers are ids. */
const time = /^(?:1[4-9]|2[01])\d{8}(?:\d{3}|\d{6})?$/;
const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
const tokenCharsMin = 8;
const tokenCharacters = /^[\w.~-]+$/;

/**
 * A session, a hash or a time: hexadecimal digits of both kinds, or a value that changes between lower case, upper case
 * and digits at least once in four characters. Names and numbers of articles change less often.
 */
function looksLikeToken(value: string): boolean {
  if (value.length < tokenCharsMin || !tokenCharacters.test(value)) return false;
  if (time.test(value) || uuid.test(value)) return true;
  let [changes, before, digits, hexLetters] = [0, -1, 0, 0];
  for (let at = 0; at < value.length; at++) {
    const code = value.charCodeAt(at);
    const kind = kindOf(code);
    if (kind === 0) digits += 1;
    else if ((code | 32) >= 97 && (code | 32) <= 102) hexLetters += 1;
    if (kind < 0) continue;
    if (before >= 0 && kind !== before) changes += 1;
    before = kind;
  }
  const isHex = digits > 0 && hexLetters > 0 && digits + hexLetters === value.length;
  return isHex || changes * 4 >= value.length;
}

/** 0: a digit, 1: a lower case letter, 2: an upper case one, -1: another character. */
function kindOf(code: number): number {
  if (code >= 48 && code <= 57) return 0;
  if (code >= 97 && code <= 122) return 1;
  return code >= 65 && code <= 90 ? 2 : -1;
}
