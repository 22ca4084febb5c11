/** Variants of pages at the frontier: links and queued URLs that differ in a value without effect are folded. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Answer } from '../../../../../lab/simulation/driver.ts';
import { TopologyDriver } from '../../../../../lab/simulation/driver.ts';
import { digest } from '../../../../../topology/frontier/check/digest.ts';
import { defaultTraps } from '../../../../../topology/policy/traps/trap-config.ts';

const site = 'https://a.test';
const policy = { traps: defaultTraps, delayMs: 0 };
const pages = 20;
const word = (n: number) => (Math.imul(n + 1, 0x9e3779b1) >>> 0).toString(16).padStart(8, '0');

/** Twenty pages, each with links to all of them under a session that is new each time. `more`: other answers. */
function sessions(more: (url: string) => Answer | undefined = () => undefined): (url: string) => Answer {
  let drawn = 0;
  return (url) => {
    const page = Number(/p(\d+)/.exec(url)?.[1] ?? 0);
    const links = Array.from({ length: pages }, (_, to) => `${site}/p${to}?zz=8f${word(drawn++)}a1`);
    return more(url) ?? { kind: 'fetched', links, textSignature: `${word(page)}${word(page + 999)}.${word(page)}` };
  };
}

const pathsOf = ({ requests }: TopologyDriver) => requests.map(({ url }) => new URL(url).pathname);

describe('variants', () => {
  it('a site of twenty pages with a new session in each link ends, and each request has the session of its link', () => {
    const driver = new TopologyDriver({ web: sessions(), policy });
    driver.inject([`${site}/`]);
    assert.equal(driver.run(), 'done');
    assert.ok(driver.requests.length < 200, `${driver.requests.length} requests`);
    assert.equal(new Set(pathsOf(driver)).size, pages + 1);
    const [trap] = driver.core().state.traps.of('a.test').trapped;
    assert.match(trap!.pattern, /^\{zz\}=8f[0-9a-f]{8}a1$/);
    assert.ok(driver.counters.deferred > 100, 'variants that waited are kept');
    assert.ok(driver.counters.admitted < 1_500, `${driver.counters.admitted} admitted`);
  });

  it('variants in the queue are folded as well after a crash, wherever they are stored', () => {
    const counts = [false, true].map((crashes) => {
      const driver = new TopologyDriver({ web: sessions(), policy });
      driver.inject([`${site}/`]);
      for (let at = 0; crashes && at < 60; at++) {
        driver.run(driver.nowMs + 10);
        if (at % 20 !== 19) continue;
        driver.save();
        driver.crash();
      }
      assert.equal(driver.run(), 'done');
      assert.equal(digest(driver.rebuilt()), digest(driver.core().state));
      return driver.requests.length;
    });
    assert.ok(Math.max(...counts) < 300, `${counts}`);
  });

  it('a page behind a redirect to another session is fetched', () => {
    const moved = (url: string): Answer | undefined =>
      /p7\?zz=8f/.test(url) ? { kind: 'redirect', status: 302, redirectUrl: `${site}/p7?zz=0a1b2c3d4e5f` } : undefined;
    const driver = new TopologyDriver({ web: sessions(moved), policy });
    driver.inject([`${site}/`]);
    assert.equal(driver.run(), 'done');
    assert.ok(driver.requests.some(({ url }) => url.endsWith('/p7?zz=0a1b2c3d4e5f')));
  });

  it('a seed and a forced URL are fetched as they are, also once their value is known to have no effect', () => {
    const driver = new TopologyDriver({ web: sessions(), policy });
    driver.inject([`${site}/`]);
    driver.run();
    driver.inject([`${site}/p3?zz=0000aaaa1111`]);
    driver.run();
    assert.ok(driver.requests.some(({ url }) => url.endsWith('/p3?zz=0000aaaa1111')));
  });

  it('a released trap returns its variants', () => {
    const driver = new TopologyDriver({ web: sessions(), policy: { ...policy, maxDepth: 3 } });
    driver.inject([`${site}/`]);
    driver.run();
    const [before, waiting] = [driver.requests.length, driver.counters.deferred];
    const [trap] = driver.core().state.traps.of('a.test').trapped;
    const payload = JSON.stringify({ pattern: trap!.pattern });
    driver.control(0, { kind: 'releaseTrap', hostKey: 'a.test', payload });
    assert.equal(driver.run(), 'done');
    assert.equal(driver.counters.deferred, 0);
    assert.ok(driver.requests.length >= before + waiting, `${driver.requests.length} after ${before} and ${waiting}`);
  });
});
