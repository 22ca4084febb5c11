/** What is stored says in which form it is: a form that changes has another number, and old numbers are still read. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { changelogVersion, encodeClaim } from '../../../topology/frontier/changes/changelog.ts';
import { checkpointVersion } from '../../../topology/frontier/checkpoint/checkpoint.ts';
import { dumpVersion } from '../../../topology/frontier/transfer/dump-line.ts';
import { fingerprint, fingerprintVersion } from '../../../topology/url/fingerprint.ts';
import { seenKey, seenKeyVersion } from '../../../topology/url/seen-key.ts';

it('forms of what is stored have the numbers that logs, folders and dumps of releases bear', () => {
  const words = new Uint32Array(2);
  fingerprint('https://example.org/', 1, 2, words);
  assert.deepEqual([fingerprintVersion, ...words], [1, 3189588153, 2589057600]);
  assert.deepEqual([seenKeyVersion, seenKey('https://example.org/a/')], [1, 'https://example.org/a/']);
  const claim = encodeClaim({ kind: 'claim', nonce: 'n', nowMs: 1, endsLeases: false });
  assert.deepEqual([changelogVersion, claim[1]], [1, 1]);
  assert.deepEqual([checkpointVersion, dumpVersion], [3, 2]);
});
