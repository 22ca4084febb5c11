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
  judgeCommit,
} from '../../../../topology/frontier/changes/changelog.ts';
import type { Change, UrlRecord } from '../../../../topology/frontier/changes/changes.ts';
import { newHostFacts } from '../../../../topology/frontier/changes/changes.ts';
import { readChange, writeChange } from '../../../../topology/frontier/changes/codec.ts';
import { zeroCounters } from '../../../../topology/frontier/changes/counters.ts';
import { ByteReader, ByteWriter } from '../../../../topology/frontier/storage/bytes.ts';

const entry = { url: 'https://a.test/ä?q=1', depth: 3, hop: 1, attempts: 2, expiries: 0, band: 5 };
const record: UrlRecord = {
  url: entry.url,
  status: 'page',
  outcome: 'fetched',
  httpStatus: 200,
  atMs: 1_700_000_000_000,
  attempts: 1,
  depth: 3,
  etag: '"x"',
  lastModified: '',
  contentHash: 'ff',
  soft404: true,
};
/** One of each kind. */
const changes: Change[] = [
  { kind: 'admit', hostKey: 'a.test', known: false, entries: [entry, { ...entry, hop: 0, attempts: 0 }] },
  { kind: 'count', counter: 'duplicates', by: 12 },
  {
    kind: 'grant',
    leaseId: 9,
    hostKey: 'a.test',
    again: 2,
    bands: [
      [0, 3],
      [7, 1],
    ],
    deadlineMs: 1_700_000_000_000,
    delayMs: 250,
  },
  { kind: 'resolve', leaseId: 9, index: 4, disposition: { to: 'final', status: 'dead' }, record },
  { kind: 'resolve', leaseId: 9, index: 5, disposition: { to: 'again', dueAtMs: 77, entry }, record: null },
  { kind: 'release', leaseId: 9, expired: true },
  { kind: 'host', hostKey: 'a.test', facts: { ...newHostFacts, crawlDelayMs: 500, hold: 'blocked', failures: 3 } },
  { kind: 'bury', hostKey: 'a.test', record: { ...record, status: 'dead' } },
  { kind: 'finish', hostKey: 'a.test', seq: 300, record },
  { kind: 'raise', hostKey: 'a.test', band: 17, seq: 70_000, entry },
  { kind: 'expedite', hostKey: 'a.test', band: 17, seq: 70_000, entry },
  { kind: 'expedite', hostKey: 'a.test', band: null, seq: 2, entry: { ...entry, band: 0 } },
  { kind: 'policy', version: 4, json: '{"a":1}' },
  { kind: 'trap', hostKey: 'a.test', pattern: '/cal/#', reason: 'calendar', detail: '24 pages', band: 17 },
  { kind: 'releaseTrap', hostKey: 'a.test', pattern: '/cal/#' },
  { kind: 'cash', amount: 0.25, isNew: true, prints: [1, 0xffff_ffff] },
  { kind: 'cash', amount: -1e-9, isNew: false, prints: [1, 2] },
  { kind: 'linked', prints: [1, 0xffff_ffff, 0, 7] },
  { kind: 'cite', key: 'a.test', print: 0xffff_fff0 },
  { kind: 'spend', key: 'a.test', period: 20_000, used: 7 },
  { kind: 'host', hostKey: 'a.test', facts: { ...newHostFacts, hold: 'limit', deferredOpen: true } },
  { kind: 'quota', granted: 100, returned: 3, wanted: 7 },
  { kind: 'quotaBook', partition: 2, granted: 64, returned: 0, wanted: 1, version: 12 },
  {
    kind: 'robotsHop',
    hostKey: 'b.test',
    hop: { url: 'https://b.test/r', asked: ['https://a.test/robots.txt'], partition: 3 },
  },
];

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
  it('come back as they were written', () => {
    const decoded = decodeChangelog(encodeCommit(header, encoded(changes)));
    assert.equal(decoded.kind, 'commit');
    assert.deepEqual(
      { ...decoded, changes: [...(decoded as { changes: Iterable<Change> }).changes] },
      { ...header, changes },
    );
    const claim = { kind: 'claim', nonce: 'n', nowMs: 12, endsLeases: true } as const;
    assert.deepEqual(decodeChangelog(encodeClaim(claim)), claim);
  });

  it('cut short or altered are refused, never misread into a hang or a wild allocation', () => {
    const bytes = encodeCommit(header, encoded(changes));
    for (let length = 0; length < bytes.length; length++) {
      try {
        const decoded = decodeChangelog(bytes.subarray(0, length));
        if (decoded.kind === 'commit') assert.ok([...decoded.changes].length < changes.length);
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

  it('of a newer format are refused with the remedy', () => {
    const bytes = encodeCommit(header, encoded([]));
    bytes[1] = changelogVersion + 1;
    assert.throws(() => decodeChangelog(bytes), { code: 'UNSUPPORTED', message: /newer crawlstream/ });
  });

  it('hold numbers up to 2^53', () => {
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

  it('name each kind of change by its own byte', () => {
    const bytes = new Set(changes.map((change) => encoded([change])[0]));
    assert.equal(bytes.size, new Set(changes.map(({ kind }) => kind)).size);
    for (const change of changes) assert.deepEqual(readChange(new ByteReader(encoded([change]))), change);
  });
});

describe('a commit counts', () => {
  const at = { ...changelogStart, epoch: 5, seq: 7 };
  it('only under the newest claim', () => {
    assert.equal(judgeCommit(at, header), 'counts');
    assert.equal(judgeCommit(at, { ...header, epoch: 4 }), 'void');
    assert.equal(judgeCommit(at, { ...header, epoch: 6 }), 'void');
  });
  it('only once', () => {
    assert.equal(judgeCommit(at, { ...header, seq: 7 }), 'void');
  });
  it('only right after the one before it: what follows a failed append is void', () => {
    assert.equal(judgeCommit(at, { ...header, seq: 9 }), 'void');
  });
  it('only if no record before it is gone', () => {
    assert.doesNotThrow(() => expectOffset(at, at.offset));
    assert.throws(() => expectOffset(at, at.offset + 2), { code: 'CHANGELOG_GAP' });
  });
});
