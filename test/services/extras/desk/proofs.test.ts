import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { describe, it, type TestContext } from 'node:test';
import type { Control } from '../../../../schemas/types.ts';
import { challengeFor, isAnswer } from '../../../../services/extras/desk/challenge.ts';
import { Desk, type DeskCrawl } from '../../../../services/extras/desk/desk.ts';
import { deskLimits } from '../../../../services/extras/desk/desk-limits.ts';
import { deskName, hostOrders } from '../../../../services/extras/desk/host-orders.ts';
import { createOneAtATime } from '../../../../services/extras/desk/one-at-a-time.ts';
import { readOrder } from '../../../../services/extras/desk/orders.ts';
import { filePath } from '../../../../services/extras/desk/prove-host.ts';
import { createRates } from '../../../../services/extras/desk/rates.ts';
import { createSealer } from '../../../../services/extras/desk/sealed.ts';
import { createTxtLookup } from '../../../../services/extras/desk/txt-lookup.ts';
import { newVisit, readVisit, type Visit, writeVisit } from '../../../../services/extras/desk/visit.ts';
import { hostEvent, pauseEvent, purgeEvent } from '../../../../services/runtime/crawl/operator-events.ts';
import type { CrawlTopics, RequestRecord } from '../../../../services/runtime/crawl/requests.ts';
import { createGuardedRequest } from '../../../../services/runtime/http/guarded-request.ts';
import { serveTxt } from './dns-server.ts';

const sealer = createSealer('a secret of sixteen characters');
const topics: CrawlTopics = { crawl: 'c', partitions: 1, keyMode: 'host' };
const dayMs = 86_400_000;
const host = 'site.test';

/** A desk over a crawl whose `control` is a list; `between`: what an operator says between the desk's look and its order. */
function deskAt({ nowMs = 100 * dayMs, policyMs = 1_000, places = {}, between = [] as RequestRecord[] } = {}) {
  const control: Control[] = [];
  const clock = { nowMs: () => state.nowMs };
  const state = { nowMs, accounts: 0, isBroken: false };
  const keep = (records: readonly RequestRecord[]) =>
    records.map(({ record }) => ({ partition: 0, offset: control.push(record as Control) - 1 }));
  const of = {
    crawl: 'c',
    events: async (_: string, before = control.length) => control.slice(0, before),
    policyDelayMs: async () => policyMs,
    account: async () => {
      state.accounts += 1;
      if (state.isBroken) throw new Error('the log is away');
      return { text: '', requests: [], copies: [] };
    },
    send: async (make, said) => {
      keep(between.splice(0));
      return keep(make(topics, said));
    },
    sign: async () => 'signed',
  } satisfies DeskCrawl;
  const desk = new Desk({ clock, sealer, places: places as never, of, proofMs: dayMs });
  const proof = () => ({ hostKey: host, untilMs: state.nowMs + dayMs, how: 'dns' as const });
  const order = (name: 'delay' | 'pause' | 'resume' | 'remove', delayMs: number | null = null) =>
    desk.order(proof(), { name, delayMs });
  return { desk, control, state, keep, order, proof };
}

const said = { by: 'operator', atMs: 1 };

describe('a challenge for a visitor', () => {
  const asked = { crawl: 'c', hostKey: host, visitor: 'me' };
  const nowMs = 100 * dayMs + 5;
  const line = challengeFor(sealer, asked, nowMs);

  it('a challenge proves that host, for that visitor, of that crawl, and nothing else', () => {
    assert.equal(isAnswer(sealer, asked, line, nowMs), true);
    for (const other of [{ visitor: 'you' }, { hostKey: 'other.test' }, { crawl: 'd' }])
      assert.equal(isAnswer(sealer, { ...asked, ...other }, line, nowMs), false, JSON.stringify(other));
    assert.equal(isAnswer(createSealer('another of sixteen characters'), asked, line, nowMs), false);
    // Parts that run into each other are not the same parts.
    const shifted = { crawl: 'cs', hostKey: 'ite.test', visitor: 'me' };
    assert.equal(isAnswer(sealer, shifted, line, nowMs), false);
    assert.equal(isAnswer(sealer, asked, line.slice(0, -1), nowMs), false);
  });

  it('a challenge is valid on its days, and on none before or after', () => {
    const { challengeDays } = deskLimits;
    const at = (days: number) => isAnswer(sealer, asked, line, nowMs + days * dayMs);
    assert.deepEqual([at(-1), at(0), at(challengeDays), at(challengeDays + 1)], [false, true, true, false]);
  });

  it('a challenge is not a visit, even with its seal', () => {
    const visit = writeVisit(sealer, newVisit());
    assert.ok(readVisit(sealer, visit, nowMs) !== undefined);
    const text = Buffer.from(JSON.stringify({ visitor: 'x', proven: [] })).toString('base64url');
    assert.equal(readVisit(sealer, `${text}.${sealer.seal('form', text)}`, nowMs), undefined);
    assert.equal(readVisit(sealer, `${text}.${sealer.seal('challenge', text)}`, nowMs), undefined);
  });
});

describe('a proof', () => {
  async function site(t: TestContext, answer: (line: string) => { status: number; body: string; to?: string }) {
    let line = '';
    const paths: string[] = [];
    const server = createServer((request, response) => {
      paths.push(request.url!);
      const { status, body, to } = answer(line);
      response.writeHead(status, to === undefined ? {} : { location: to }).end(body);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    t.after(() => server.close());
    const { port } = server.address() as { port: number };
    const hostKey = `site.test:${port}`;
    const request = createGuardedRequest({
      ...{ isBlocked: () => true, overrides: () => '127.0.0.1', timeoutMs: 5_000, bytesMax: deskLimits.fileBytesMax },
    });
    const { desk } = deskAt({ places: { request, headers: {} } });
    const visit: Visit = newVisit();
    line = desk.challenge(visit, hostKey);
    return { paths, prove: () => desk.prove(visit, hostKey, 'file', 'caller'), hostKey, desk, visit };
  }

  it('a proof is a file at its place, with the line among others', async (t) => {
    const { prove, paths, hostKey } = await site(t, (line) => ({ status: 200, body: `# ours\n${line}\r\n` }));
    const { visit, look } = await prove();
    assert.equal(look.problem, null);
    assert.deepEqual(
      visit?.proven.map((one) => [one.hostKey, one.how]),
      [[hostKey, 'file']],
    );
    assert.deepEqual(paths, [filePath]);
  });

  it('a proof is missing if the file is an error page, a redirect, or somebody else’s', async (t) => {
    for (const [answer, problem] of [
      [(line: string) => ({ status: 404, body: line }), /it answered with status 404/],
      [(line: string) => ({ status: 302, body: line, to: '/elsewhere' }), /redirects are not followed/],
      [
        (line: string) => ({ status: 200, body: line.replace(/.$/, (end) => (end === 'A' ? 'B' : 'A')) }),
        /is for another host or visitor/,
      ],
      [() => ({ status: 200, body: 'nothing' }), /no line there starts with/],
    ] as const) {
      const { prove, paths } = await site(t, answer);
      const { visit, look } = await prove();
      assert.equal(visit, null);
      assert.match(look.problem!, problem);
      assert.deepEqual(paths, [filePath]);
    }
  });

  it('a proof is checked at a bounded rate, and a finished check frees its place', async (t) => {
    const { prove } = await site(t, () => ({ status: 404, body: '' }));
    for (let n = 0; n < deskLimits.proofsPerMinute; n++) await prove();
    await assert.rejects(prove(), /too many verification attempts/);
    const { desk, visit, hostKey } = await site(t, () => ({ status: 404, body: '' }));
    for (let n = 0; n < deskLimits.proofsAtOnce + 1; n++) await desk.prove(visit, hostKey, 'file', `caller ${n}`);
    const many = Array.from({ length: deskLimits.proofsOfHostPerMinute }, (_, n) =>
      desk.prove(visit, `other${n}.test`, 'dns', `other ${n}`),
    );
    const refused = (await Promise.allSettled(many)).filter(({ status }) => status === 'rejected');
    assert.equal(refused.length, many.length - deskLimits.proofsAtOnce);
  });

  it('a proof is one of the TXT records at its DNS name', async (t) => {
    const dns = await serveTxt(t);
    dns.texts.set('_crawlstream-desk.site.test', ['one', 'two']);
    const lookup = createTxtLookup([dns.address]);
    assert.deepEqual([...(await lookup('_crawlstream-desk.site.test'))].sort(), ['one', 'two']);
    assert.deepEqual(await lookup('_crawlstream-desk.none.test'), []);
  });
});

describe('an order of a webmaster', () => {
  it('an order of a webmaster needs a valid proof', async () => {
    const { desk, state, control } = deskAt();
    const over = { hostKey: host, untilMs: state.nowMs, how: 'dns' } as const;
    await assert.rejects(
      desk.order(over, { name: 'pause', delayMs: null }),
      /your verification of this host has expired/,
    );
    assert.equal(control.length, 0);
  });

  it('an order of a webmaster makes no delay shorter than the policy’s or an operator’s', async () => {
    const { order, keep } = deskAt();
    await assert.rejects(order('delay', 999), /the crawl already waits 1 s/);
    await order('delay', 1_000);
    keep(hostEvent(topics, said, 'hostDelay', host, 5_000));
    await assert.rejects(order('delay', 4_999), /the crawl already waits 5 s/);
    await order('delay', 5_000);
  });

  it('an order of a webmaster ends no operator’s block, and resumes no removed host', async () => {
    const blocked = deskAt();
    blocked.keep(hostEvent(topics, said, 'blockHost', host));
    await assert.rejects(blocked.order('resume'), /only the operator can unblock it/);
    await assert.rejects(blocked.order('pause'), /only the operator can unblock it/);
    const paused = deskAt();
    await assert.rejects(paused.order('resume'), /is not paused on this page/);
    await paused.order('pause');
    await paused.order('resume');
    const removed = deskAt();
    await removed.order('remove');
    removed.keep(hostEvent(topics, said, 'blockHost', host));
    for (const name of ['pause', 'resume', 'delay'] as const)
      await assert.rejects(removed.order(name, name === 'delay' ? 9_000 : null), /was already removed/);
  });

  it('an order of a webmaster has no receipt if an operator’s came first', async () => {
    const { order, control } = deskAt({ between: hostEvent(topics, said, 'blockHost', host) });
    await assert.rejects(order('pause'), /only the operator can unblock it/);
    assert.equal(control.length, 2);
  });

  it('an order of a webmaster is limited in number per hour', async () => {
    const { order, state } = deskAt();
    for (let n = 0; n < deskLimits.ordersPerHour; n++) await order(n % 2 === 0 ? 'pause' : 'resume');
    await assert.rejects(order('pause'), /try again later/);
    state.nowMs += 3_600_000;
    await order('pause');
  });

  it('an order of a webmaster to remove a host must be confirmed', () => {
    const fields = (more: Record<string, string>) => new Map(Object.entries({ order: 'remove', ...more }));
    assert.throws(() => readOrder(fields({})), /confirm: send sure=yes/);
    assert.throws(() => readOrder(fields({ sure: 'no' })), /confirm: send sure=yes/);
    assert.deepEqual(readOrder(fields({ sure: 'yes' })), { name: 'remove', delayMs: null });
  });

  it('an order of a webmaster counts for its own host only', () => {
    const by = { by: deskName(host), atMs: 10 };
    const events = [...pauseEvent(topics, by, host, false), ...purgeEvent(topics, by, 'other.test', null)];
    const { recent, paused, removed } = hostOrders(
      events.map(({ record }) => record as Control),
      host,
      20,
    );
    assert.deepEqual({ recent, paused, removed }, { recent: 1, paused: 'here', removed: false });
  });
});

describe('the webmaster page', () => {
  it('the webmaster page retries an account that could not be made, and keeps one that was', async () => {
    const { desk, state } = deskAt();
    state.isBroken = true;
    await assert.rejects(desk.account(host), /the log is away/);
    state.isBroken = false;
    await desk.account(host);
    await desk.account(host);
    assert.equal(state.accounts, 2);
  });

  it('the webmaster page limits requests in a sliding window', () => {
    const rates = createRates(1_000);
    const takes = (nowMs: number) => rates.take('one', 2, nowMs);
    assert.deepEqual([takes(0), takes(0), takes(0), takes(999)], [true, true, false, false]);
    // Half of the window before counts still.
    assert.deepEqual([takes(1_500), takes(1_500)], [true, false]);
    assert.deepEqual([takes(4_000), takes(4_000), takes(4_000)], [true, true, false]);
  });

  it('the webmaster page does one check at a time, and lets few wait', async () => {
    const oneAtATime = createOneAtATime();
    let [now, most] = [0, 0];
    const work = async () => {
      most = Math.max(most, ++now);
      await new Promise((resolve) => setImmediate(resolve));
      now -= 1;
    };
    const all = Array.from({ length: deskLimits.waitingMax + 1 }, () => oneAtATime(work));
    const ends = (await Promise.allSettled(all)).map(({ status }) => status);
    assert.deepEqual([most, ends.filter((end) => end === 'rejected').length], [1, 1]);
    await oneAtATime(work);
  });
});
