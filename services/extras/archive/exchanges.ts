/**
 * The answers in a WARC file, each with the metadata record of its exchange: the purpose of the request, and its
 * distance from a seed. Records of Crawlstream and of Heritrix are understood.
 */
import { type ReadRecord, readWarc } from './warc-reader.ts';

export interface Exchange {
  /** A response or a revisit. */
  readonly answer: ReadRecord;
  /** Purpose, as in `requestedAs`: page, robots, sitemap, requisite, other. Empty: unknown. */
  readonly kind: string;
  /** Links from a seed. Undefined: unknown. */
  readonly depth: number | undefined;
}

/** Holds one answer back until the next record shows whether it has metadata. */
export async function* readExchanges(path: string): AsyncGenerator<Exchange> {
  let answer: ReadRecord | undefined;
  let exchange: Omit<Exchange, 'answer'> = nothing;
  for await (const record of readWarc(path)) {
    const { type, fields, block } = record;
    if (type === 'metadata' && answer !== undefined && isOf(fields, answer))
      exchange = exchangeIn(block.toString('utf8'));
    if (type !== 'response' && type !== 'revisit') continue;
    if (answer !== undefined) yield { answer, ...exchange };
    [answer, exchange] = [record, nothing];
  }
  if (answer !== undefined) yield { answer, ...exchange };
}

const nothing = { kind: '', depth: undefined } as const;

function isOf(fields: ReadRecord['fields'], answer: ReadRecord): boolean {
  const id = answer.fields.get('warc-record-id');
  return id !== undefined && (fields.get('warc-concurrent-to') === id || fields.get('warc-refers-to') === id);
}

function exchangeIn(lines: string): Omit<Exchange, 'answer'> {
  const fields = new Map<string, string>();
  for (const line of lines.split('\n')) {
    const colon = line.indexOf(':');
    if (colon > 0) fields.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim());
  }
  const kind = fields.get('requestedas') ?? '';
  const own = fields.get('depth') ?? '';
  if (/^\d{1,6}$/.test(own)) {
    // For a sitemap, the depth of its links.
    return { kind, depth: Math.max(0, Number(own) - (kind === 'sitemap' ? 1 : 0)) };
  }
  const hops = fields.get('hopsfromseed');
  if (hops !== undefined && /^[A-Z]*$/.test(hops)) return { kind, depth: hops.replace(hopsOfNoDepth, '').length };
  return { kind, depth: fields.get('seed') === '' ? 0 : undefined };
}

/** Heritrix's letters for redirects, prerequisites, embeds and manifests, which do not count as depth. */
const hopsOfNoDepth = /[RPEM]/g;
