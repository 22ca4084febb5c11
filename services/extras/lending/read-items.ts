/**
 * Calls with lists, item by item: an error concerns its own item, and the others are accepted. A client reports what
 * strangers' pages contain, and one odd link or header must not cost it the other items.
 */
import { faultOf, readCall } from '../../runtime/http/read-call.ts';
import {
  type AddedUrl,
  addedUrl,
  type ClientResult,
  itemsOfAdd,
  ownResult,
  type RefusedUrl,
  resultItems,
} from './api-schemas.ts';
import { lendingLimits } from './lending-limits.ts';

/** URLs that can be read, by their place in the call; and those that cannot. */
export interface ReadUrls {
  readonly urls: readonly { readonly index: number; readonly added: AddedUrl }[];
  readonly refused: readonly RefusedUrl[];
}

export type ReadResult =
  | { readonly lease: string; readonly result: ClientResult; readonly urls: ReadUrls }
  /** `why`: the first field at fault, and what to do. */
  | { readonly lease: string; readonly why: string };

/** Throws INVALID_ARGUMENT if the body has no list. */
export function readAdd(body: unknown, fields?: string): ReadUrls {
  return readUrls(readCall(itemsOfAdd, body, fields).urls);
}

/** Throws INVALID_ARGUMENT if the body has no list, or a list that is too long. */
export function readResults(body: unknown, fields?: string): readonly ReadResult[] {
  return readCall(resultItems, body, fields).results.map(readResult);
}

function readUrls(items: readonly unknown[]): ReadUrls {
  const urls: { index: number; added: AddedUrl }[] = [];
  const refused: RefusedUrl[] = [];
  items.forEach((item, index) => {
    const parsed = index < lendingLimits.urlsPerCallMax ? addedUrl.safeParse(item) : undefined;
    if (parsed?.success === true) urls.push({ index, added: parsed.data });
    else {
      const why = parsed === undefined ? tooMany : faultOf(parsed.error, addedUrl);
      refused.push({ index, url: textOf(item, 'url').slice(0, urlCharsShown), why });
    }
  });
  return { urls, refused };
}

const tooMany = `a call may have at most ${lendingLimits.urlsPerCallMax} URLs; send this one in another call`;
/** Characters of a refused URL in the answer, enough to recognize it. */
const urlCharsShown = 200;

function readResult(item: unknown): ReadResult {
  const lease = textOf(item, 'lease');
  if (typeof item !== 'object' || item === null) return { lease, why: 'it is not an object' };
  const { urls, ...rest } = item as { readonly urls?: unknown };
  if (urls !== undefined && !Array.isArray(urls)) return { lease, why: 'urls: it is not a list; send a list of URLs' };
  const parsed = ownResult.safeParse(withinBounds(rest));
  if (!parsed.success) return { lease, why: faultOf(parsed.error, ownResult) };
  return { lease, result: parsed.data, urls: readUrls(urls ?? []) };
}

/** Cuts long texts at their bounds. Leaves out long headers, since a cut header would have another meaning. */
function withinBounds(item: Readonly<Record<string, unknown>>): object {
  const { titleCharsMax: title, textCharsMax: text, detailCharsMax: detail } = lendingLimits;
  const within: Record<string, unknown> = { ...item };
  for (const [field, charsMax] of Object.entries({ title, text, detail })) {
    const given = item[field];
    if (typeof given === 'string') within[field] = given.slice(0, charsMax);
  }
  if (typeof item['headers'] === 'object' && item['headers'] !== null) {
    const { headerNameCharsMax, headerCharsMax } = lendingLimits;
    const isLong = (text: unknown, charsMax: number) => typeof text === 'string' && text.length > charsMax;
    const short = Object.entries(item['headers']).filter(
      ([name, value]) => !isLong(name, headerNameCharsMax) && !isLong(value, headerCharsMax),
    );
    within['headers'] = Object.fromEntries(short);
  }
  return within;
}

function textOf(item: unknown, field: string): string {
  const text = typeof item === 'object' && item !== null ? (item as Record<string, unknown>)[field] : undefined;
  return typeof text === 'string' ? text : '';
}
