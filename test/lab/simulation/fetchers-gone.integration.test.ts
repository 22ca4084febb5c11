import assert from 'node:assert/strict';
import { it } from 'node:test';
import { fetchersGone } from '../../../lab/simulation/fetchers-gone.ts';

const phaseMs = 8_000;
const awayMs = 30 * 60_000;

it('half an hour without a fetcher costs no URL anything, and the crawl ends when one is back', async (t) => {
  const size = { partitions: 2, hosts: 400, urlsPerHost: 6, phaseMs, awayMs };
  const { samples, urls, pages, deadLetters, lost, grantedForNobody, endedMs, violations } = await fetchersGone(size);
  assert.deepEqual(
    { pages, deadLetters, lost, grantedForNobody },
    { pages: urls, deadLetters: 0, lost: 0, grantedForNobody: 0 },
  );
  assert.deepEqual(violations, []);
  assert.ok(endedMs !== null, 'the crawl has no end');
  const leasesAt = (atMs: number) => samples.findLast((sample) => sample.atMs <= atMs)!.leases;
  const [withOne, withFour, withNone] = [leasesAt(phaseMs), leasesAt(2 * phaseMs), leasesAt(awayMs)];
  t.diagnostic(`leases out: ${withOne} with one fetcher, ${withFour} with four, ${withNone} with none`);
  assert.ok(withFour > 1.5 * withOne, `${withOne} leases with one fetcher, ${withFour} with four`);
  assert.equal(withNone, 0);
});
