import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blankTask, blankTaskUrl } from '../../../../schemas/blank.ts';
import { DiscoveryWaits } from '../../../../services/frontier/own/discovery-waits.ts';
import { frontierServiceLimits } from '../../../../services/frontier/service-limits.ts';

const task = (grantedAtMs: number, ...urls: string[]) => ({
  ...blankTask,
  grantedAtMs,
  urls: urls.map((url) => ({ ...blankTaskUrl, url })),
});

test('a wait is measured from the discovery of a link to its URL’s first lease, and reported once', () => {
  const seconds: number[] = [];
  const waits = new DiscoveryWaits({ observe: (value) => seconds.push(value) });
  waits.admitted([{ url: 'http://a/1', foundAtMs: 1_000 }]);
  waits.granted(task(61_000, 'http://a/0', 'http://a/1'));
  waits.granted(task(99_000, 'http://a/1'));
  assert.deepEqual(seconds, [60]);
  waits.admitted([{ url: 'http://a/2', foundAtMs: 5_000 }]);
  waits.granted(task(4_000, 'http://a/2'));
  assert.deepEqual(seconds, [60, 0], 'clocks of two machines may differ');
});

test('URLs that are never leased take bounded space', () => {
  const seconds: number[] = [];
  const waits = new DiscoveryWaits({ observe: (value) => seconds.push(value) });
  const count = frontierServiceLimits.waitsTimed + 1;
  const urls = Array.from({ length: count }, (_, at) => ({ url: `http://a/${at}`, foundAtMs: 0 }));
  waits.admitted(urls);
  waits.granted(task(1_000, urls[0]!.url, urls[1]!.url, urls.at(-1)!.url));
  assert.deepEqual(seconds, [1, 1], 'the oldest was dropped');
});
