/**
 * The rows of the dedup in the state-store port. All of them follow from `pages`: a lost store is rebuilt by reading
 * the topic again.
 *
 *   N <node u32>                         a node: its evidence and signature; empty if the text was too short for them
 *   E <content hash, 8 B>                the node of that content, u32
 *   J <node u32> <node u32>              the first node of a cluster, and one that joined it
 *   T <node u32> <claim, 7 B> <url>      a page of the node; the first has been there for longest
 *   B <node u32> <domain> 0 <rank, 7 B> <url>  the same; the first of a domain is its best
 *   U <url>                              facts about a page, JSON
 *   R <host key> 0 <prefix>              pages and duplicates below a prefix, JSON
 *   W <node u32>                         a node in a cluster that the current batch has touched
 *   H <host key>                         common values of the host's pages
 *   F                                    method for finding near pages: must not change while the store exists
 *   P …                                  positions (group-folder.ts)
 */
import { slots } from '../../../topology/extras/dedup/minhash.ts';
import type { PageEvidence } from '../../../topology/extras/dedup/near-duplicate.ts';
import type { StoreOp } from '../../runtime/store/store.ts';

export interface KnownPage {
  readonly node: number;
  readonly hostKey: string;
  readonly partition: number;
  /** Offset of its record. */
  readonly offset: number;
  readonly fetchedAtMs: number;
  /** First 64 bits of the hash of its content, hexadecimal. */
  readonly content: string;
  readonly language: string;
  /** 0: it names itself canonical. 1: it names none. 2: it names another. 3: it names one of another domain. */
  readonly authority: Authority;
  /** The registrable domain of its host, as the list of suffixes was then. */
  readonly domain: string;
  /** Time when it was first fetched with its present content, or nearly the same. */
  readonly sinceMs: number;
  /** The representative that was last published for it. Empty: none, since it is not a duplicate. */
  readonly told: string;
  /** Time when the representative was published; 0: never. */
  readonly toldAtMs: number;
}

export type Authority = 0 | 1 | 2 | 3;

export interface Rate {
  readonly pages: number;
  readonly duplicates: number;
}

export const nodeRange = range('N');
export const contentRange = range('E');
export const joinRange = range('J');
export const touchedRange = range('W');

function code(letter: string): number {
  return letter.charCodeAt(0);
}

function range(letter: string): { readonly gte: Buffer; readonly lt: Buffer } {
  return { gte: Buffer.from([code(letter)]), lt: Buffer.from([code(letter) + 1]) };
}

export function nodeKey(node: number): Buffer {
  return numbered('N', node);
}

export function touchedKey(node: number): Buffer {
  return numbered('W', node);
}

/** MinHash, title in three hashes, host; then the bytes of the method. */
const evidenceBytes = 2 * slots + 16;

export function nodeRow(
  node: number,
  known: { readonly evidence: PageEvidence; readonly signature: Buffer } | null,
): StoreOp {
  if (known === null) return { key: nodeKey(node), value: Buffer.alloc(0) };
  const { minhash, title, host } = known.evidence;
  const bytes = Buffer.allocUnsafe(evidenceBytes);
  for (let slot = 0; slot < slots; slot++) bytes.writeUInt16BE(minhash[slot]!, 2 * slot);
  for (const [at, hash] of [title.whole, title.first, title.last, host].entries())
    bytes.writeUInt32BE(hash, 2 * slots + 4 * at);
  return { key: nodeKey(node), value: Buffer.concat([bytes, known.signature]) };
}

export function evidenceIn(row: Buffer): PageEvidence {
  const minhash = new Uint16Array(slots);
  for (let slot = 0; slot < slots; slot++) minhash[slot] = row.readUInt16BE(2 * slot);
  const [whole, first, last, host] = [0, 4, 8, 12].map((at) => row.readUInt32BE(2 * slots + at));
  return { minhash, title: { whole: whole!, first: first!, last: last! }, host: host! };
}

export function signatureIn(row: Buffer): Buffer {
  return row.subarray(evidenceBytes);
}

export function contentRow(content: string, node: number): StoreOp {
  const value = Buffer.alloc(4);
  value.writeUInt32BE(node);
  return { key: Buffer.concat([Buffer.from('E'), Buffer.from(content, 'hex')]), value };
}

export function joinRow(a: number, b: number): StoreOp {
  const key = Buffer.alloc(9);
  key[0] = code('J');
  key.writeUInt32BE(a, 1);
  key.writeUInt32BE(b, 5);
  return { key, value: Buffer.alloc(0) };
}

type Placed = Pick<KnownPage, 'node' | 'authority' | 'sinceMs' | 'domain'>;

/**
 * Key of a page that claims a content for its domain: pages that name another domain as canonical come last; among
 * the others, the earliest is first, then by URL.
 */
export function claimKey(url: string, { node, authority, sinceMs }: Placed): Buffer {
  return Buffer.concat([numbered('T', node), ranked(authority === 3 ? 1 : 0, sinceMs, url)]);
}

/** Better pages of a domain sort first: canonical ones, then the earliest, then by URL. */
export function bestKey(url: string, { node, authority, sinceMs, domain }: Placed): Buffer {
  return Buffer.concat([numbered('B', node), Buffer.from(`${domain}\0`), ranked(authority, sinceMs, url)]);
}

/** The part of a claim's key that compares pages of different nodes. */
export function claimOf(claimRow: Buffer): Buffer {
  return claimRow.subarray(5);
}

/** The same for a page of a domain. */
export function rankOf(bestRow: Buffer): Buffer {
  return bestRow.subarray(bestRow.indexOf(0, 5) + 1);
}

/** The URL in a claim or a rank. */
export function urlOfRank(rank: Buffer): string {
  return rank.toString('utf8', 7);
}

function ranked(before: number, sinceMs: number, url: string): Buffer {
  const rank = Buffer.alloc(7 + Buffer.byteLength(url));
  rank[0] = before;
  rank.writeUIntBE(sinceMs, 1, 6);
  rank.write(url, 7);
  return rank;
}

export function claimsOf(node: number): { readonly gte: Buffer; readonly lt: Buffer } {
  return { gte: numbered('T', node), lt: numbered('T', node + 1) };
}

/** Pages of a node in one domain. */
export function bestsOf(node: number, domain: string): { readonly gte: Buffer; readonly lt: Buffer } {
  const of = (end: string) => Buffer.concat([numbered('B', node), Buffer.from(`${domain}${end}`)]);
  return { gte: of('\0'), lt: of('\u0001') };
}

export function pageKey(url: string): Buffer {
  return Buffer.from(`U${url}`);
}

export const pageRange = range('U');

export function urlOfPage(key: Buffer): string {
  return key.toString('utf8', 1);
}

/** Rates of one host. */
export function ratesOf(hostKey: string): { readonly gte: Buffer; readonly lt: Buffer } {
  return { gte: rateKey(hostKey, ''), lt: Buffer.from(`R${hostKey}\u0001`) };
}

export function rateKey(hostKey: string, prefix: string): Buffer {
  return Buffer.from(`R${hostKey}\0${prefix}`);
}

export function commonKey(hostKey: string): Buffer {
  return Buffer.from(`H${hostKey}`);
}

export const formKey = Buffer.from('F');

export function jsonRow(key: Buffer, value: unknown): StoreOp {
  return { key, value: Buffer.from(JSON.stringify(value)) };
}

export function fromJson<T>(value: Buffer | undefined): T | undefined {
  return value === undefined ? undefined : (JSON.parse(value.toString()) as T);
}

function numbered(letter: string, number: number): Buffer {
  const key = Buffer.alloc(5);
  key[0] = code(letter);
  key.writeUInt32BE(number, 1);
  return key;
}
