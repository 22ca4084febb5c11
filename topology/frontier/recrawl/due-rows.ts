/**
 * The schedule in the checkpoint: the changed blocks of the table's rows, all of one position, then the values beside
 * the table.
 *
 * | key | value |
 * | --- | --- |
 * | `d`, block | 8 rows of 24 bytes each |
 * | `d` | rows, price, credit, trust in sitemaps by host, when sitemaps are read, how far pages moved under a new policy |
 */
import { ByteReader, ByteWriter } from '../storage/bytes.ts';
import type { Row } from '../storage/store-job.ts';
import { inUseFlag, packFlags, unpackFlags } from './due-flags.ts';
import { blockRows } from './due-table.ts';
import type { RecrawlState } from './recrawl-state.ts';
import { readRetiming, writeRetiming } from './retiming.ts';

const keyByte = 0x64;
const rowBytes = 24;

/** Rows of the checkpoint that changed since the last call. */
export function takeDueRows(recrawl: RecrawlState): Row[] {
  const { table } = recrawl;
  if (!recrawl.isUnsaved) return [];
  const blocks = [...table.unsaved].sort((a, b) => a - b);
  table.unsaved.clear();
  recrawl.written();
  const rows = blocks.map((block) => ({ key: blockKey(block), value: blockBytes(recrawl, block) }));
  return [{ key: Buffer.from([keyByte]), value: restBytes(recrawl) }, ...rows];
}

/** Takes a row back. */
export function loadDueRow(recrawl: RecrawlState, key: Buffer, value: Buffer): void {
  if (key.length === 1) {
    loadRest(recrawl, new ByteReader(value));
    return;
  }
  const block = key.readUInt32BE(1);
  for (let i = 0; i < blockRows; i++) {
    const at = rowBytes * i;
    const flags = value.readUInt16BE(at + 20);
    if ((flags & inUseFlag) === 0) continue;
    recrawl.table.putAt(block * blockRows + i, {
      hi: value.readUInt32BE(at),
      lo: value.readUInt32BE(at + 4),
      host: value.readUInt32BE(at + 8),
      dueS: value.readUInt32BE(at + 12),
      visitedS: value.readUInt32BE(at + 16),
      rateClass: value.readUInt16BE(at + 22),
      ...unpackFlags(flags),
    });
  }
}

function blockKey(block: number): Buffer {
  const key = Buffer.allocUnsafe(5);
  key[0] = keyByte;
  key.writeUInt32BE(block, 1);
  return key;
}

function blockBytes({ table }: RecrawlState, block: number): Buffer {
  const bytes = Buffer.alloc(blockRows * rowBytes);
  for (let i = 0; i < blockRows; i++) {
    const row = block * blockRows + i;
    if (row >= table.end || !table.inUse(row)) continue;
    const due = table.at(row);
    const at = rowBytes * i;
    bytes.writeUInt32BE(due.hi, at);
    bytes.writeUInt32BE(due.lo, at + 4);
    bytes.writeUInt32BE(due.host, at + 8);
    bytes.writeUInt32BE(due.dueS, at + 12);
    bytes.writeUInt32BE(due.visitedS, at + 16);
    bytes.writeUInt16BE(packFlags(due), at + 20);
    bytes.writeUInt16BE(due.rateClass, at + 22);
  }
  return bytes;
}

function restBytes(recrawl: RecrawlState): Buffer {
  const writer = new ByteWriter(64);
  writer.int(recrawl.price);
  writer.uint(recrawl.pricedAtMs);
  writer.int(recrawl.credit);
  writer.uint(recrawl.trust.size);
  for (const [host, { fromSitemap, proved, lastDueS }] of recrawl.trust) {
    writer.uint(host);
    writer.uint(fromSitemap);
    writer.uint(proved);
    writer.uint(lastDueS);
  }
  recrawl.sitemaps.write(writer);
  if (recrawl.retiming !== null) writeRetiming(writer, recrawl.retiming);
  return writer.take();
}

function loadRest(recrawl: RecrawlState, reader: ByteReader): void {
  recrawl.price = reader.int();
  recrawl.pricedAtMs = reader.uint();
  recrawl.credit = reader.int();
  for (let left = reader.uint(); left > 0; left--) {
    const host = reader.uint();
    recrawl.trust.set(host, { fromSitemap: reader.uint(), proved: reader.uint(), lastDueS: reader.uint() });
  }
  // A checkpoint from before rounds were kept has none.
  if (!reader.done) recrawl.sitemaps.read(reader);
  // Without a policy that has changed `recrawl`, the row ends here.
  if (!reader.done) recrawl.retiming = readRetiming(reader);
}
