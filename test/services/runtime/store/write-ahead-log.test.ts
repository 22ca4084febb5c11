/** Write-ahead logs made by hand after LevelDB’s log_format.md: which faults are damage, and which a power cut leaves. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { crc32c } from '@node-rs/crc32';
import { damageIn, findLogDamage, refuseLogDamage } from '../../../../services/runtime/store/write-ahead-log.ts';
import { temporaryFolder } from './temporary-folder.ts';

const blockBytes = 32_768;
const [full, first, middle, last] = [1, 2, 3, 4];

function fragment(type: number, data: Buffer): Buffer {
  const crc = crc32c(Buffer.concat([Buffer.from([type]), data]));
  const head = Buffer.alloc(7);
  head.writeUInt32LE((((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0, 0);
  head.writeUInt16LE(data.length, 4);
  head[6] = type;
  return Buffer.concat([head, data]);
}

/** Batches in fragments, none of which crosses a block; the last bytes of a block that fit no head are zeros. */
function logOf(...batches: readonly Buffer[]) {
  const parts: Buffer[] = [];
  const starts: number[] = [];
  let at = 0;
  const put = (bytes: Buffer) => {
    parts.push(bytes);
    at += bytes.length;
  };
  for (const batch of batches) {
    let from = 0;
    do {
      const left = blockBytes - (at % blockBytes);
      if (left < 7) put(Buffer.alloc(left));
      if (from === 0) starts.push(at);
      const length = Math.min(batch.length - from, blockBytes - (at % blockBytes) - 7);
      const isEnd = from + length === batch.length;
      const type = from === 0 ? (isEnd ? full : first) : isEnd ? last : middle;
      put(fragment(type!, batch.subarray(from, from + length)));
      from += length;
    } while (from < batch.length);
  }
  return { bytes: Buffer.concat(parts), starts };
}

/** Without zeros, which could be unsynced pages. */
const data = (length: number, seed = 1) => Buffer.from(Array.from({ length }, (_, n) => ((n * 31 + seed) % 255) + 1));
const sizes = [10, 300, 40_000, 5, 90_000, 2_000, 100];
const whole = logOf(...sizes.map((size, n) => data(size, n)));

test('a whole log has no damage, and neither has one that ends anywhere', () => {
  assert.equal(damageIn(whole.bytes), undefined);
  for (let end = 0; end < whole.bytes.length; end += 97)
    assert.equal(damageIn(whole.bytes.subarray(0, end)), undefined, `${end}`);
  assert.equal(damageIn(Buffer.alloc(0)), undefined);
});

test('the end of a block that fits no head is skipped, whatever its length', () => {
  for (let left = 0; left <= 8; left++) {
    const log = logOf(data(blockBytes - 7 - left), data(50, 2), data(50, 3));
    assert.equal(damageIn(log.bytes), undefined, `${left}`);
    const broken = Buffer.from(log.bytes);
    broken[log.starts[1]! + 8]! ^= 1;
    // With room for a head, a fragment of no or one byte begins there, and the next block has the rest.
    assert.equal(damageIn(broken), left < 7 ? log.starts[1] : blockBytes, `${left}`);
  }
});

test('one changed bit is damage, at the beginning of its fragment', () => {
  const log = logOf(data(100, 1), data(200, 2), data(300, 3));
  for (const [batch, start] of log.starts.entries())
    for (const within of [0, 3, 4, 6, 7, 50, 106]) {
      const broken = Buffer.from(log.bytes);
      broken[start + within]! ^= 1;
      // A last batch with another length may as well have ended early.
      const mayBeCut = batch === 2 && within === 4;
      if (!mayBeCut) assert.equal(damageIn(broken), start, `${batch}, ${within}`);
    }
});

test('a type or a length that no fragment has is damage before a whole batch', () => {
  const log = logOf(data(100, 1), data(200, 2));
  for (const type of [0, 5, 255]) {
    const broken = Buffer.concat([fragment(type, data(100, 1)), log.bytes.subarray(log.starts[1]!)]);
    assert.equal(damageIn(broken), 0, `type ${type}`);
  }
  const long = Buffer.from(log.bytes);
  long.writeUInt16LE(65_535, 4);
  assert.equal(damageIn(long), 0);
});

test('zeros in place of whole pages are what a power cut leaves, and fewer are damage', () => {
  const log = logOf(...Array.from({ length: 30 }, (_, n) => data(1_000, n)));
  for (const page of [0, 4_096, 8_192]) {
    const cut = Buffer.from(log.bytes);
    cut.fill(0, page, page + 4_096);
    assert.equal(damageIn(cut), undefined, `page at ${page}`);
  }
  const shifted = Buffer.from(log.bytes);
  shifted.fill(0, 4_200, 4_200 + 3_000);
  assert.equal(
    damageIn(shifted),
    log.starts.findLast((start) => start <= 4_200),
  );
});

test('zeros in sectors of the last batch are what a power cut leaves', () => {
  const log = logOf(data(1_000, 1), data(3_000, 2));
  for (const [from, to, isTorn] of [
    [1_024, 1_536, true],
    [1_536, 2_048, true],
    [3_584, log.bytes.length, true],
    [1_100, 1_400, false],
    [log.bytes.length - 15, log.bytes.length, false],
  ] as const) {
    const cut = Buffer.from(log.bytes);
    cut.fill(0, from, to);
    assert.equal(damageIn(cut), isTorn ? undefined : log.starts[1], `${from} to ${to}`);
  }
});

test('a fragment within the data of strangers is no batch', () => {
  const stranger = fragment(full, data(60, 9));
  const torn = logOf(data(100, 1), Buffer.concat([data(500, 2), stranger, data(20_000, 3)])).bytes.subarray(0, 10_000);
  assert.ok(torn.includes(stranger));
  assert.equal(damageIn(torn), undefined);
});

test('the first damaged log of a folder is found by its number, and refused with what to do', async () => {
  const folder = temporaryFolder();
  const broken = Buffer.from(whole.bytes);
  broken[20]! ^= 1;
  writeFileSync(join(folder, '9.log'), whole.bytes);
  writeFileSync(join(folder, '100.log'), broken);
  writeFileSync(join(folder, '20.log'), broken);
  writeFileSync(join(folder, 'x.log'), broken);
  writeFileSync(join(folder, '8.log.old'), broken);
  const file = join(folder, '20.log');
  assert.deepEqual(await findLogDamage(folder), { file, offset: 17, bytesBehind: broken.length - 17 });
  await assert.rejects(refuseLogDamage(folder), {
    code: 'STORE_FAILED',
    message: `${file} is damaged at byte 17: the ${broken.length - 17} bytes after it are unusable. Restore the file from a backup. pages, export, audit and recheck read the part before it with --skip-damaged. To continue without the rest: truncate -s 17 ${file}`,
  });
  assert.equal(await findLogDamage(join(folder, 'none')), undefined);
  await refuseLogDamage(join(folder, 'none'));
});
