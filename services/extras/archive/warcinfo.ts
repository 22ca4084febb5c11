/**
 * The first record of a WARC file: who made it, with what, and under which rules.
 *
 * All of it follows from the file's first response and from settings, so that the same responses give the same file.
 */
import type { Response } from '../../../schemas/types.ts';
import type { WarcRecord } from './warc-record.ts';

export interface WarcinfoOptions {
  readonly crawl: string;
  /** Release of the product. */
  readonly version: string;
  /** The operator of the crawl. Absent: the contact of its requests. */
  readonly operator?: string | undefined;
}

/** `name`: of the file, without ending. */
export function warcinfo(name: string, first: Response, { crawl, version, operator }: WarcinfoOptions): WarcRecord {
  const userAgent = requestHeader(first, 'user-agent');
  const from = requestHeader(first, 'from');
  const contact = from || (/\(\+([^()]+)\)/.exec(userAgent)?.[1] ?? '');
  const fields: readonly (readonly [string, string])[] = [
    ['software', `crawlstream/${version}`],
    ['format', 'WARC File Format 1.1'],
    ['conformsTo', 'https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/'],
    ['isPartOf', crawl],
    ['operator', operator ?? contact],
    ['robots', 'obey'],
    ['http-header-user-agent', userAgent],
    ['http-header-from', from],
    ['policyVersion', first.policyVersion === 0 ? '' : `${first.policyVersion}`],
    ['policyHash', first.policyHash],
  ];
  return {
    type: 'warcinfo',
    identity: `${name} warcinfo`,
    atMs: first.fetchedAtMs,
    contentType: 'application/warc-fields',
    fields: [['WARC-Filename', `${name}.warc.gz`]],
    block: Buffer.from(
      fields
        .filter(([, value]) => value !== '')
        .map(([field, value]) => `${field}: ${value.replaceAll(/[\r\n]+/g, ' ')}\r\n`)
        .join(''),
    ),
  };
}

function requestHeader({ requestHeaders }: Response, name: string): string {
  const at = requestHeaders.findIndex((text, i) => i % 2 === 0 && text === name);
  return at < 0 ? '' : (requestHeaders[at + 1] ?? '');
}
