import assert from 'node:assert/strict';
import { it } from 'node:test';
import { costOf, networkAway } from '../../../lab/simulation/network-away.ts';

const size = { hosts: 40, urlsPerHost: 60 };
const minute = 60_000;

for (const [what, outage, awayMs] of [
  ['two hours without a network', 'network', 120 * minute],
  ['ten minutes without a name server', 'names', 10 * minute],
  ['half an hour in which one fetcher of two has no network', 'oneFetcher', 30 * minute],
] as const)
  it(`${what} cost no URL and no host anything, and requests begin within 10 s of its return`, async (t) => {
    const report = await networkAway({ outage, awayMs, ...size });
    t.diagnostic(JSON.stringify(report));
    assert.equal(costOf(report, 10_000), null);
    if (outage === 'oneFetcher')
      assert.ok(report.meanwhile > 1_000, `the other fetcher made ${report.meanwhile} requests`);
  });
