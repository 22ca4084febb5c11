/**
 * Response headers as a flat list: names in lower case and values alternating, in the order received.
 *
 * It is a list, not an object: repeated headers keep their order, and a header named `[object Object]` is just data. A
 * response has about a dozen headers, so a scan is cheaper than building a map.
 */
import { extractedType } from '../../../topology/fetch/content-type.ts';

export type Headers = readonly string[];

/** The first value of `name` (lower case) that is not empty, or the empty string. */
export function headerOf(headers: Headers, name: string): string {
  for (let i = 0; i < headers.length; i += 2) if (headers[i] === name && headers[i + 1] !== '') return headers[i + 1]!;
  return '';
}

/** Every value of `name` (lower case), in order. */
export function headersOf(headers: Headers, name: string): string[] {
  const values: string[] = [];
  for (let i = 0; i < headers.length; i += 2) if (headers[i] === name) values.push(headers[i + 1]!);
  return values;
}

/** All values of `name` (lower case) as one list (RFC 9110 §5.3), or the empty string. */
export function listOf(headers: Headers, name: string): string {
  let list = '';
  for (let i = 0; i < headers.length; i += 2) {
    if (headers[i] === name) list = list === '' ? headers[i + 1]! : `${list}, ${headers[i + 1]!}`;
  }
  return list;
}

/** The Content-Type that counts of all its fields, with parameters. Empty: none does. */
export function contentTypeOf(headers: Headers): string {
  return extractedType(headersOf(headers, 'content-type'));
}

/** Headers from the wire's bytes, read as Latin-1, as RFC 9110 §5.5 reads octets beyond ASCII. */
export function headersFromRaw(raw: readonly Buffer[]): string[] {
  const headers = new Array<string>(raw.length);
  for (let i = 0; i + 1 < raw.length; i += 2) {
    headers[i] = raw[i]!.toString('latin1').toLowerCase();
    headers[i + 1] = raw[i + 1]!.toString('latin1').trim();
  }
  return headers;
}
