/**
 * What each format version of the changelog looks like, byte for byte: `golden-1.json` was written when the format was
 * fixed. Records of old releases are read from such bytes alone, so they are never changed: a new kind, a new field at
 * an end or a new counter adds to the file.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import {
  type CommitHeader,
  decodeChangelog,
  encodeClaim,
  encodeCommit,
} from '../../../../topology/frontier/changes/changelog.ts';
import type { Change } from '../../../../topology/frontier/changes/changes.ts';
import { readChange, writeChange } from '../../../../topology/frontier/changes/codec.ts';
import { counterNames, zeroCounters } from '../../../../topology/frontier/changes/counters.ts';
import { ByteReader, ByteWriter } from '../../../../topology/frontier/storage/bytes.ts';
import { everyChange } from './every-change.ts';

interface Golden {
  /** By kind: of each of its examples. */
  readonly changes: Readonly<Record<string, readonly string[]>>;
  readonly claims: readonly string[];
  readonly commit: string;
  /** In the order of their values in `commit`. */
  readonly counters: readonly string[];
}

const golden = JSON.parse(readFileSync(new URL('./golden-1.json', import.meta.url), 'utf8')) as Golden;
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const bytesOf = (text: string) => Buffer.from(text, 'hex');

function encoded(change: Change): Buffer {
  const writer = new ByteWriter();
  writeChange(writer, change);
  return Buffer.from(writer.take());
}

describe('bytes of format 1', () => {
  for (const [kind, examples] of Object.entries(everyChange)) {
    it(`bytes of format 1 of ${kind} are written and read unchanged`, () => {
      const known = golden.changes[kind] ?? [];
      examples.forEach((change, n) => {
        assert.equal(hex(encoded(change)), known[n], `${kind} ${n}: golden-1.json has other bytes, or none yet`);
        assert.deepEqual(readChange(new ByteReader(bytesOf(known[n]!))), change);
      });
      assert.equal(known.length, examples.length);
    });
  }

  it('bytes of format 1 of claims are written and read unchanged', () => {
    const claims = [
      { kind: 'claim', nonce: 'nonce', nowMs: 1_700_000_000_005, endsLeases: true, schedulesAgain: true },
      { kind: 'claim', nonce: 'reset x', nowMs: 7, endsLeases: false },
      // From here on they say what they follow.
      {
        kind: 'claim',
        nonce: 'n',
        nowMs: 8,
        endsLeases: true,
        schedulesAgain: true,
        after: { epoch: -1, seq: 0, counted: null },
      },
      {
        kind: 'claim',
        nonce: 'n',
        nowMs: 9,
        endsLeases: false,
        after: { epoch: 31, seq: 32, counted: { offset: 33, hash: 0xffff_fff4 } },
      },
      // From here on the schedule stays as it is where leases end.
      { kind: 'claim', nonce: 'nonce', nowMs: 1_700_000_000_005, endsLeases: true },
    ] as const;
    assert.equal(golden.claims.length, claims.length);
    claims.forEach((claim, n) => {
      assert.equal(hex(encodeClaim(claim)), golden.claims[n]);
      assert.deepEqual(decodeChangelog(bytesOf(golden.claims[n]!)), claim);
    });
  });

  it('bytes of format 1 of a commit are written and read unchanged, each counter in its place', () => {
    assert.deepEqual(counterNames.slice(0, golden.counters.length), golden.counters);
    const counters = zeroCounters();
    golden.counters.forEach((name, n) => {
      counters[name as keyof typeof counters] = 1_000 + n;
    });
    const header: CommitHeader = {
      kind: 'commit',
      epoch: 11,
      seq: 12,
      nowMs: 1_700_000_000_006,
      policyVersion: 13,
      demand: 14,
      inputs: [
        { topic: 'control', from: { offset: 15, slice: 16 }, to: { offset: 17, slice: 18 } },
        { topic: 'results', from: { offset: 19, slice: 0 }, to: { offset: 20, slice: 0 } },
        { topic: 'discovered', from: { offset: 21, slice: 22 }, to: { offset: 23, slice: 24 } },
      ],
      counters,
    };
    const bytes = encodeCommit(header, encoded(everyChange.count[0]!));
    const decoded = decodeChangelog(bytesOf(golden.commit));
    assert.equal(decoded.kind, 'commit');
    const { changes, ...rest } = decoded as typeof decoded & { changes: Iterable<Change> };
    assert.deepEqual(rest, header);
    assert.deepEqual([...changes], [everyChange.count[0]]);
    if (golden.counters.length === counterNames.length) assert.equal(hex(bytes), golden.commit);
  });
});
