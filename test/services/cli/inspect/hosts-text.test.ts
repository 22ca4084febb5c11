import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Hand } from '../../../../lab/model/hand.ts';
import type { OutcomeKind } from '../../../../schemas/types.ts';
import { hostsText, hostText } from '../../../../services/cli/inspect/hosts-text.ts';
import type { PlacedHost } from '../../../../services/frontier/query/host-lists.ts';
import type { CrawlObstacle } from '../../../../services/hosting/inspect/crawl-obstacle.ts';
import { answerHost } from '../../../../topology/frontier/ask/queries.ts';

/** What `hosts a.test` prints after one lease whose URLs all ended so. */
function textAfter(kind: OutcomeKind, status: number): string {
  const hand = new Hand({ delayMs: 0, urlsPerLeaseMax: 3, retriesMs: [60_000] });
  hand.links('a.test', 9);
  const task = hand.lease();
  hand.rig.send(
    'results',
    hand.resultOf(task, () => ({ status }), { kind }),
  );
  hand.rig.step(hand.nowMs, 0);
  const { done, value } = answerHost(hand.rig.core.state, 'a.test', 0, null as never).next();
  assert.ok(done, 'everything is in memory');
  return hostText({ partition: 0, ...value! } as never, hand.nowMs);
}

test('hosts HOST names errors of the server, apart from answers that ask to wait', () => {
  const failing = textAfter('serverError', 500);
  assert.match(failing, /^back-offs +1 since the last good answer, after server errors$/m);
  assert.match(failing, /^server errors +3 URLs in a row$/m);
  const busy = textAfter('throttled', 429);
  assert.match(busy, /^back-offs +1 since the last good answer, after throttled answers or timeouts$/m);
  assert.doesNotMatch(busy + textAfter('fetched', 200), /server errors/);
});

test('hosts says which limit a host has reached, and why no host is requested now', () => {
  const row = {
    ...{ host: 'a.test', partition: 0, queued: 4, deferred: 0, leases: 0, fetched: 9, pages: 5, failures: 0 },
    ...{
      throttles: 0,
      serverFails: false,
      delayMs: 1_000,
      readyAtMs: 900,
      hold: '',
      deadUntilMs: null,
      pagesMax: null,
    },
  } as const;
  const nextOf = (change: object, obstacle: CrawlObstacle | null = null) => {
    const list = { hosts: [{ ...row, ...change } as PlacedHost], matched: 1, known: 1, missing: [], from: [] };
    const [, line, ...rest] = hostsText(list, 1_000, obstacle).split('\n');
    return [line!.split('1.0 s  ')[1], ...rest];
  };
  const spent = { short: 'page quota spent', text: 'the crawl has its 5 pages (--max-pages)', byPolicy: true };
  assert.deepEqual(nextOf({}), ['now', '1 of 1 known']);
  assert.deepEqual(nextOf({}, spent), [
    'none: page quota spent',
    ...['1 of 1 known', 'no host is requested now: the crawl has its 5 pages (--max-pages)'],
  ]);
  assert.deepEqual(nextOf({ queued: 0, readyAtMs: null }, spent), ['nothing to do', '1 of 1 known']);
  assert.deepEqual(nextOf({ leases: 1, readyAtMs: null }, spent)[0], 'being fetched');
  const held = { hold: 'limit', queued: 0, deferred: 4, readyAtMs: null };
  assert.equal(nextOf({ ...held, pagesMax: 5 })[0], 'none: limit reached, 5 of 5 pages');
  assert.equal(nextOf(held)[0], 'none: limit reached, of bytes or of its domain');
  assert.equal(nextOf({ ...held, pagesMax: undefined })[0], 'none: limit reached', 'an older frontier answered');
});

test('hosts HOST says since when a host is free, not a time in the past at which it will be', () => {
  const hand = new Hand({ delayMs: 1_000, urlsPerLeaseMax: 1 });
  hand.links('a.test', 3);
  hand.report(hand.lease(), { kind: 'fetched' });
  const { value } = answerHost(hand.rig.core.state, 'a.test', 0, null as never).next();
  const text = (nowMs: number, obstacle: CrawlObstacle | null = null) =>
    hostText({ partition: 0, ...value! } as never, nowMs, obstacle?.text ?? 'its delay', obstacle);
  const { readyAtMs } = (value as { facts: { readyAtMs: number } }).facts;
  const at = new Date(readyAtMs).toISOString();
  assert.match(text(readyAtMs - 1), new RegExp(`^ready +at ${at}\nwaits +its delay$`, 'm'));
  assert.match(text(readyAtMs), new RegExp(`^ready +since ${at}$`, 'm'));
  assert.doesNotMatch(text(readyAtMs), /waits/);
  const paused = text(readyAtMs, { short: 'paused', text: 'the crawl is paused', byPolicy: true });
  assert.match(paused, /^waits +the crawl is paused$/m);
  assert.doesNotMatch(paused, /^ready/m);
});
