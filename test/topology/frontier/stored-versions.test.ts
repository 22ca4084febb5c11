/** What is stored says in which form it is: a form that changes has another number, and old numbers are still read. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { changelogVersion, decodeChangelog, encodeClaim } from '../../../topology/frontier/changes/changelog.ts';
import { checkpointVersion } from '../../../topology/frontier/checkpoint/checkpoint.ts';
import { dumpVersion } from '../../../topology/frontier/transfer/dump-line.ts';
import { fingerprint, fingerprintVersion } from '../../../topology/url/fingerprint.ts';
import { seenKey, seenKeyVersion } from '../../../topology/url/seen-key.ts';

it('versions of stored forms have the numbers in logs, folders and dumps of releases', () => {
  const words = new Uint32Array(2);
  fingerprint('https://example.org/', 1, 2, words);
  assert.deepEqual([fingerprintVersion, ...words], [1, 3189588153, 2589057600]);
  assert.deepEqual([seenKeyVersion, seenKey('https://example.org/a/')], [1, 'https://example.org/a/']);
  const claim = encodeClaim({ kind: 'claim', nonce: 'n', nowMs: 1, endsLeases: false });
  assert.deepEqual([changelogVersion, claim[1]], [1, 1]);
  assert.deepEqual([checkpointVersion, dumpVersion], [3, 2]);
});

it('a claim says whether leases end as in releases up to 0.3.0, and is read as it was written', () => {
  const claim = { kind: 'claim', nonce: 'n', nowMs: 1 } as const;
  for (const one of [
    { ...claim, endsLeases: false },
    { ...claim, endsLeases: true },
    { ...claim, endsLeases: true, schedulesAgain: true as const },
  ]) {
    assert.deepEqual(decodeChangelog(encodeClaim(one)), one);
  }
  // As 0.3.0 wrote it: format 1, a claim, "n", 1 ms, ends leases.
  const before = encodeClaim({ ...claim, endsLeases: true });
  before[before.length - 1] = 1;
  assert.deepEqual(decodeChangelog(before), { ...claim, endsLeases: true, schedulesAgain: true });
});
