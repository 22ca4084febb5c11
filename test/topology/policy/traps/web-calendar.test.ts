/** The endless calendar of the synthetic web, followed through its plan rather than over sockets. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planWeb } from '../../../../lab/web/plan.ts';
import { monthOf } from '../../../../lab/web/resources.ts';
import { crawlThrough } from './crawl-through.ts';

const port = 80;

function crawlWeb(options: Parameters<typeof planWeb>[0], withSource = false) {
  const plan = planWeb(options);
  const pageAt = (url: string) => {
    const { hostname, pathname, search } = new URL(url);
    const host = plan.hostOf(hostname);
    const resource = plan.resolve(host, pathname + search);
    const { status = 404, target } = resource ?? {};
    if (resource === undefined || status !== 200)
      return { status, links: target === undefined ? [] : [plan.url(target.host, target.path, port)] };
    return { links: plan.targets(host, resource).map((target) => plan.url(target.host, target.path, port)) };
  };
  const crawled = crawlThrough(pageAt, plan.seeds(port), { most: 30_000, withSource });
  const months = crawled.fetched.filter((url) => monthOf(new URL(url).pathname) >= 0);
  return { ...crawled, months, expected: plan.expected(port) };
}

for (const withSource of [false, true]) {
  const how = withSource ? 'by source' : 'by depth alone';
  test(`endless calendars take less than 2 % of a crawl's fetches, ${how}`, () => {
    const { fetched, months, trapped, expected } = crawlWeb(
      { hosts: 100, pagesPerHost: 60, domains: 4, linksPerPage: 20, calendars: 0.02, calendarMonths: -1 },
      withSource,
    );
    assert.ok(fetched.length < 30_000, 'the crawl ends');
    assert.ok(months.length > 0);
    assert.ok(months.length < 0.02 * fetched.length, `${months.length} of ${fetched.length}`);
    assert.deepEqual(
      [...new Set([...trapped.values()].map(({ pattern, reason }) => `${pattern} ${reason}`))],
      ['/calendar/#/# calendar'],
    );
    const got = new Set(fetched);
    for (const url of expected.fetch) assert.ok(got.has(url), url);
  });

  test(`a calendar of two years is crawled to its end, and nothing else is missed, ${how}`, () => {
    const { fetched, months, trapped, expected } = crawlWeb(
      { preset: 'full', hosts: 30, pagesPerHost: 40, domains: 3, linksPerPage: 20, calendarMonths: 24, calendars: 0.2 },
      withSource,
    );
    assert.equal(trapped.size, 0, [...trapped.values()].map(({ detail }) => detail).join());
    assert.equal(months.length, 6 * 24);
    const got = new Set(fetched);
    for (const url of expected.fetch) assert.ok(got.has(url), url);
  });
}
