import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CrawlstreamError } from '../../../../topology/errors.ts';
import {
  changelogStart,
  changelogVersion,
  decodeChangelog,
  encodeClaim,
  encodeCommit,
  expectOffset,
  follows,
  validateCommit,
} from '../../../../topology/frontier/changes/changelog.ts';
import type { Change } from '../../../../topology/frontier/changes/changes.ts';
import { readChange, writeChange } from '../../../../topology/frontier/changes/codec.ts';
import { zeroCounters } from '../../../../topology/frontier/changes/counters.ts';
import { ByteReader, ByteWriter } from '../../../../topology/frontier/storage/bytes.ts';
import { everyChange } from './every-change.ts';

const changes: readonly Change[] = Object.values(everyChange).flat();

function encoded(list: readonly Change[]): Buffer {
  const writer = new ByteWriter();
  for (const change of list) writeChange(writer, change);
  return writer.take();
}

const position = (offset: number) => ({ offset, slice: 0 });
const header = {
  kind: 'commit',
  epoch: 5,
  seq: 8,
  nowMs: 1_700_000_000_000,
  policyVersion: 3,
  demand: 17,
  inputs: [{ topic: 'discovered', from: position(1), to: { offset: 2, slice: 40 } }],
  counters: { ...zeroCounters(), admitted: 5, queued: 5 },
} as const;

describe('changelog records', () => {
  it('changelog records are read back as they were written', () => {
    const decoded = decodeChangelog(encodeCommit(header, encoded(changes)));
    assert.equal(decoded.kind, 'commit');
    assert.deepEqual(
      { ...decoded, changes: [...(decoded as { changes: Iterable<Change> }).changes] },
      { ...header, changes },
    );
    const claim = { kind: 'claim', nonce: 'n', nowMs: 12, endsLeases: true } as const;
    assert.deepEqual(decodeChangelog(encodeClaim(claim)), claim);
    for (const counted of [null, { offset: 90, hash: 0 }, { offset: 90, hash: 2 ** 53 - 1 }]) {
      const linked = { ...claim, after: { epoch: -1, seq: 7, counted } };
      assert.deepEqual(decodeChangelog(encodeClaim(linked)), linked);
    }
  });

  it('changelog records that are cut or altered are refused, never misread into a hang or a huge allocation', () => {
    const bytes = encodeCommit(header, encoded(changes));
    for (let length = 0; length < bytes.length; length++) {
      try {
        const decoded = decodeChangelog(bytes.subarray(0, length));
        if (decoded.kind === 'commit') assert.ok([...decoded.changes].length < changes.length, `${length}`);
      } catch (error) {
        assert.ok(error instanceof CrawlstreamError && error.code === 'INVALID_RECORD', `${length}: ${error}`);
      }
    }
    for (let at = 0; at < bytes.length; at++) {
      const altered = Buffer.from(bytes);
      altered[at]! ^= 0xff;
      try {
        const decoded = decodeChangelog(altered);
        if (decoded.kind === 'commit') for (const _ of decoded.changes);
      } catch (error) {
        assert.ok(error instanceof CrawlstreamError, `${at}: ${error}`);
      }
    }
  });

  it('changelog records of a newer format are refused with the remedy', () => {
    const bytes = encodeCommit(header, encoded([]));
    bytes[1] = changelogVersion + 1;
    assert.throws(() => decodeChangelog(bytes), { code: 'UNSUPPORTED', message: /newer crawlstream/ });
  });

  it('changelog records hold numbers up to 2^53', () => {
    const writer = new ByteWriter();
    const numbers = [0, 127, 128, 2 ** 31, 2 ** 32 + 5, 2 ** 53 - 1];
    for (const number of numbers) {
      writer.uint(number);
      writer.int(-Math.floor(number / 2));
    }
    const reader = new ByteReader(writer.take());
    for (const number of numbers) {
      assert.equal(reader.uint(), number);
      assert.equal(Math.abs(reader.int()), Math.floor(number / 2));
    }
    assert.ok(reader.done);
  });

  it('changelog records give each kind of change its own byte', () => {
    const bytes = new Set(changes.map((change) => encoded([change])[0]));
    assert.equal(bytes.size, Object.keys(everyChange).length);
  });

  for (const change of changes) {
    it(`changelog records hold every field of ${change.kind}: ${JSON.stringify(change).slice(0, 60)}`, () => {
      const reader = new ByteReader(encoded([change]));
      assert.deepEqual(readChange(reader), change);
      assert.ok(reader.done, 'nothing is left over');
    });
  }
});

describe('a commit counts', () => {
  const at = { ...changelogStart, epoch: 5, seq: 7 };
  it('a commit counts only under the newest claim', () => {
    assert.equal(validateCommit(at, header), 'counts');
    assert.equal(validateCommit(at, { ...header, epoch: 4 }), 'void');
    assert.equal(validateCommit(at, { ...header, epoch: 6 }), 'void');
  });
  it('a commit counts only once', () => {
    assert.equal(validateCommit(at, { ...header, seq: 7 }), 'void');
  });
  it('a commit counts only right after the one before it: commits after a failed append are void', () => {
    assert.equal(validateCommit(at, { ...header, seq: 9 }), 'void');
  });
  it('a commit counts only if no record before it is gone', () => {
    assert.doesNotThrow(() => expectOffset(at, at.offset));
    assert.throws(() => expectOffset(at, at.offset + 2), { code: 'CHANGELOG_GAP' });
  });
});

describe('a record’s predecessor', () => {
  const counted = { offset: 19, hash: 99 };
  const at = { ...changelogStart, offset: 20, epoch: 5, seq: 7, read: counted, counted };
  const claim = { kind: 'claim', nonce: 'n', nowMs: 1, endsLeases: false } as const;
  const after = { epoch: 5, seq: 7, counted };
  it('a record’s predecessor is certain if the record is the next commit of the newest claim, and no other', () => {
    assert.equal(follows(at, header), true);
    for (const other of [{ epoch: 6 }, { epoch: 4 }, { seq: 9 }, { seq: 7 }])
      assert.equal(follows(at, { ...header, ...other }), false);
  });
  it('a record’s predecessor is never certain from a claim: the log may have lost it since the claim was sent', () => {
    assert.equal(follows(at, { ...claim, after }), false);
    assert.equal(follows(at, claim), false, 'one of an older release');
  });
});
