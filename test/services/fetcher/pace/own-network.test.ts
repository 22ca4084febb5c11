import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HttpResponse } from '../../../../services/fetcher/http/client.ts';
import { createOwnNetwork } from '../../../../services/fetcher/pace/own-network.ts';
import { networkLimits } from '../../../../topology/fetch/network-limits.ts';
import { createFakeClock } from '../fake-clock.ts';

type Answer =
  | 'answers'
  | 'refuses'
  | 'never'
  | 'noRoute'
  | 'noServer'
  | 'noName'
  | 'badCertificate'
  | 'busy'
  | 'brokenOff';

/** A web of hosts that answer as `how` says. */
function open(isResumed = false) {
  const clock = createFakeClock();
  const stopping = new AbortController();
  const how = new Map<string, Answer>();
  const askedAtMs = new Map<string, number>();
  const said: string[] = [];
  const asked: string[] = [];
  const starts: { readonly hostKey: string; readonly latestStartMs: number }[] = [];
  let forgotten = 0;
  let voided = 0;
  const names: { othersAnswer: boolean | null } = { othersAnswer: null };
  const responseOf = (hostKey: string): HttpResponse => {
    const answer = how.get(hostKey) ?? 'answers';
    const kinds = {
      noServer: 'dnsFailed',
      noName: 'dnsFailed',
      badCertificate: 'tlsFailed',
      brokenOff: 'aborted',
    } as const;
    const codes = { refuses: 'ECONNREFUSED', noRoute: 'ENETUNREACH', noServer: 'ESERVFAIL' } as const;
    const kind = kinds[answer as keyof typeof kinds] ?? 'connectionFailed';
    const code = codes[answer as keyof typeof codes];
    const failure = answer === 'answers' ? null : { kind, detail: answer, ...(code !== undefined && { code }) };
    const atMs = clock.nowMs();
    return { status: failure === null ? 200 : 0, failure, unreached: true, startMs: atMs, endMs: atMs } as HttpResponse;
  };
  const network = createOwnNetwork({
    clock,
    signal: stopping.signal,
    isProven: () => isResumed,
    nameAskedAtMs: (hostname) => askedAtMs.get(hostname),
    resolvesOthers: async () => names.othersAnswer,
    say: (text) => said.push(text),
    onBack: () => {
      forgotten += 1;
    },
    forgetFailures: () => {
      voided += 1;
    },
    async ask({ hostKey, origin }, latestStartMs, onStart) {
      starts.push({ hostKey, latestStartMs });
      const answer = how.get(hostKey);
      if (answer === 'busy') {
        await clock.sleepUntil(latestStartMs);
        return null;
      }
      onStart();
      asked.push(origin);
      if (how.get(hostKey) === 'never') return new Promise<never>(() => {});
      return responseOf(hostKey);
    },
  });
  const request = (hostKey: string, forMs = 30_000) => ({
    ...{ url: `http://${hostKey}/page`, hostKey, delayMs: 0, latestStartMs: clock.nowMs() + forMs },
  });
  const fetchOf = (hostKey: string) => network.judge(request(hostKey), responseOf(hostKey));
  const all = (answer: Answer, hosts: readonly string[]) => {
    for (const host of hosts) how.set(host, answer);
  };
  const startedBy = (host: string) => starts.filter((one) => one.hostKey === host).map((one) => one.latestStartMs);
  return {
    clock,
    names,
    network,
    request,
    fetchOf,
    all,
    askedAtMs,
    said,
    asked,
    startedBy,
    stopping,
    forgotten: () => forgotten,
    voided: () => voided,
  };
}

const hosts = ['a.test', 'b.test', 'c.test', 'd.test'];

/** Past the time within which nobody is asked again. */
async function settle(clock: ReturnType<typeof createFakeClock>) {
  for (let n = 0; n < 20; n++) await clock.advance(500);
}

test('a host that falls silent while others answer is charged with its failure', async () => {
  const { clock, fetchOf, all, network, asked } = open();
  for (const host of hosts) assert.equal(fetchOf(host), undefined);
  await clock.advance(60_000);
  all('refuses', ['a.test']);
  const verdict = fetchOf('a.test');
  await settle(clock);
  assert.equal(await verdict, false);
  assert.equal(network.awaySinceMs, null);
  assert.ok(asked.length > 0 && !asked.includes('http://a.test'));
});

for (const answer of ['refuses', 'never', 'noRoute', 'noServer'] as const)
  test(`no host is charged while none answers (${answer}), and the first response ends that`, async () => {
    const { clock, request, fetchOf, all, network, said, forgotten } = open();
    for (const host of hosts) fetchOf(host);
    await clock.advance(60_000);
    all(answer, hosts);
    const verdicts = ['a.test', 'b.test'].map(fetchOf);
    await settle(clock);
    assert.deepEqual(await Promise.all(verdicts), [true, true]);
    assert.notEqual(network.awaySinceMs, null);
    assert.equal(await fetchOf('c.test'), true);
    const waiting = network.wait(request('e.test', 3_600_000))!;
    const early = network.wait(request('e.test', 1_000))!;
    await settle(clock);
    assert.equal(await early, false, 'a lease whose time is over does not wait');
    all('answers', ['d.test']);
    const backMs = clock.nowMs();
    while (network.awaySinceMs !== null && clock.nowMs() - backMs < 60_000) await clock.advance(500);
    assert.ok(clock.nowMs() - backMs <= 10_000, `${clock.nowMs() - backMs} ms`);
    assert.equal(await waiting, true);
    assert.equal(network.wait(request('e.test')), undefined);
    assert.deepEqual([said.length, forgotten()], [2, 1]);
  });

test('two silent hosts are charged separately, and a name that does not exist is no evidence', async () => {
  const { clock, fetchOf, all, network } = open();
  for (const host of ['a.test', 'b.test']) fetchOf(host);
  await clock.advance(60_000);
  all('refuses', ['a.test', 'b.test']);
  const verdict = fetchOf('a.test');
  await settle(clock);
  assert.equal(await verdict, false);
  assert.equal(network.awaySinceMs, null);
  for (const silent of ['noName', 'badCertificate'] as const) {
    all(silent, hosts);
    assert.equal(fetchOf('c.test'), undefined, silent);
  }
});

test('a crawl whose hosts were all dead from the beginning does not wait', async () => {
  const { clock, fetchOf, all, network } = open();
  all('refuses', hosts);
  for (const host of hosts) {
    const verdict = fetchOf(host);
    await settle(clock);
    assert.equal(await verdict, false, host);
  }
  assert.equal(network.awaySinceMs, null);
});

test('a crawl during a network outage charges no host; a new crawl charges none if no name server answers', async () => {
  for (const [answer, isResumed] of [
    ['refuses', true],
    ['noServer', false],
  ] as const) {
    const { clock, fetchOf, all, network } = open(isResumed);
    all(answer, hosts);
    const verdicts = hosts.map(fetchOf);
    await settle(clock);
    assert.notEqual(network.awaySinceMs, null, answer);
    if (isResumed) assert.deepEqual(await Promise.all(verdicts), [true, true, true, true]);
  }
});

test('while only dead hosts are left, those that answered are contacted at most once a second', async () => {
  const { clock, fetchOf, all, asked } = open();
  for (const host of hosts) fetchOf(host);
  await clock.advance(60_000);
  all('refuses', dead);
  const beganMs = clock.nowMs();
  const verdicts = [];
  for (const host of dead) {
    verdicts.push(fetchOf(host));
    for (let n = 0; n < 4; n++) await clock.advance(250);
  }
  await settle(clock);
  assert.ok(!(await Promise.all(verdicts)).includes(true));
  const seconds = (clock.nowMs() - beganMs) / networkLimits.betweenMs;
  assert.ok(asked.length <= networkLimits.askedAtOnce * (seconds + 1), `${asked.length} in ${seconds} s`);
});

test('a stopping fetcher charges no host and waits for nothing', async () => {
  const { clock, fetchOf, all, stopping } = open();
  for (const host of hosts) fetchOf(host);
  await clock.advance(60_000);
  all('never', hosts);
  const verdict = fetchOf('a.test');
  stopping.abort();
  await settle(clock);
  assert.equal(await verdict, true);
});

const dead = Array.from({ length: 100 }, (_, n) => `dead${n}.test`);

test('a crawl with one host that answers never takes its network for away, however many links are dead', async () => {
  const { clock, fetchOf, all, network, said } = open();
  fetchOf('honest.test');
  await clock.advance(60_000);
  all('refuses', dead);
  const verdicts = dead.map(fetchOf);
  await settle(clock);
  assert.deepEqual([...new Set(await Promise.all(verdicts))], [false]);
  assert.deepEqual([network.awaySinceMs, said], [null, []]);
});

test('a host that cannot be asked yet, since it is busy or its delay runs, decides once its turn comes', async () => {
  const { clock, fetchOf, all, network, said } = open();
  fetchOf('honest.test');
  await clock.advance(60_000);
  all('refuses', dead);
  all('busy', ['honest.test']);
  const verdicts = dead.slice(0, 10).map(fetchOf);
  await settle(clock);
  all('answers', ['honest.test']);
  await settle(clock);
  assert.deepEqual([...new Set(await Promise.all(verdicts))], [false]);
  assert.deepEqual([network.awaySinceMs, said], [null, []]);
});

test('a host that cannot be asked before a lease ends costs the dead host of the lease nothing', async () => {
  const { clock, fetchOf, all, network } = open();
  fetchOf('honest.test');
  await clock.advance(60_000);
  all('refuses', dead);
  all('busy', ['honest.test']);
  const verdicts = dead.slice(0, 10).map(fetchOf);
  for (let n = 0; n < 8; n++) await settle(clock);
  assert.deepEqual([...new Set(await Promise.all(verdicts))], [true]);
  assert.equal(network.awaySinceMs, null);
});

test('hosts made up by the hundred, which answer and then fall silent, do not outweigh one that answers', async () => {
  const { clock, fetchOf, all, network, said } = open();
  for (const host of ['honest.test', ...dead]) fetchOf(host);
  await clock.advance(60_000);
  all('refuses', dead);
  const verdicts = dead.map(fetchOf);
  for (let n = 0; n < 3; n++) await settle(clock);
  assert.deepEqual([...new Set(await Promise.all(verdicts))], [false]);
  assert.deepEqual([network.awaySinceMs, said], [null, []]);
});

test('a resumed crawl of mostly dead hosts goes on once a host that waits answers', async () => {
  const { clock, request, fetchOf, all, network } = open(true);
  all('refuses', dead);
  for (const host of dead) fetchOf(host);
  await settle(clock);
  await settle(clock);
  assert.notEqual(network.awaySinceMs, null, 'nobody has answered yet');
  assert.equal(network.isUnproven, true);
  const waiting = [...dead.slice(0, 40), 'honest.test'].map((host) => network.wait(request(host, 3_600_000)));
  for (let n = 0; n < 2; n++) await settle(clock);
  assert.equal(network.awaySinceMs, null);
  assert.equal(await waiting.at(-1), true);
});

test('a resumed crawl waits for its other hosts before it takes its network for away', async () => {
  const { clock, fetchOf, all, said } = open(true);
  all('refuses', dead);
  const verdicts = dead.map(fetchOf);
  await clock.advance(3_000);
  fetchOf('honest.test');
  await settle(clock);
  assert.deepEqual([...new Set(await Promise.all(verdicts))], [false]);
  assert.deepEqual(said, []);
});

test('a network is back once a host that waits answers, though all that answered before are gone for good', async () => {
  const { clock, request, fetchOf, all, network } = open();
  for (const host of hosts) fetchOf(host);
  await clock.advance(60_000);
  all('refuses', hosts);
  for (const host of hosts) fetchOf(host);
  await settle(clock);
  assert.notEqual(network.awaySinceMs, null);
  const waiting = network.wait(request('new.test', 3_600_000));
  await settle(clock);
  assert.equal(network.awaySinceMs, null);
  assert.equal(await waiting, true);
});

/** A network that is away: the hosts that answered before do not answer any more. */
async function away() {
  const one = open();
  for (const host of hosts) one.fetchOf(host);
  await one.clock.advance(60_000);
  one.all('refuses', [...hosts, ...dead]);
  for (const host of hosts) one.fetchOf(host);
  await settle(one.clock);
  assert.notEqual(one.network.awaySinceMs, null);
  return one;
}

test('a host is not asked whether the network is back once its lease goes back, at once or later', async () => {
  const { clock, request, network, asked } = await away();
  const atOnce = network.wait(request('dead1.test', 3_600_000), 0)!;
  const over = network.wait(request('dead2.test', 0))!;
  const first = network.wait(request('dead3.test', 5_000))!;
  const second = network.wait(request('dead3.test', 15_000))!;
  const kept = network.wait(request('dead4.test', 3_600_000))!;
  assert.deepEqual(await Promise.all([atOnce, over]), [false, false]);
  for (let n = 0; n < 30; n++) await clock.advance(500);
  assert.deepEqual(await Promise.all([first, second]), [false, false]);
  const countOf = (host: string) => asked.filter((origin) => origin === `http://${host}`).length;
  const before = countOf('dead3.test');
  for (let n = 0; n < 4; n++) await settle(clock);
  assert.deepEqual(['dead1.test', 'dead2.test'].map(countOf), [0, 0]);
  assert.deepEqual([before > 1, countOf('dead3.test')], [true, before], 'asked while a lease is held, and no longer');
  assert.ok(countOf('dead4.test') > 1);
  void kept;
});

test('a host that waits is asked no later than its lease lasts', async () => {
  const { clock, request, network, startedBy } = await away();
  for (let n = 0; n < 20; n++) {
    const { latestStartMs } = request('dead1.test', 1_000 + 200 * n);
    void network.wait(request('dead1.test', 1_000 + 200 * n));
    await settle(clock);
    for (const byMs of startedBy('dead1.test')) assert.ok(byMs <= latestStartMs);
  }
  assert.ok(startedBy('dead1.test').length > 0);
});

test('hosts that wait take turns until one answers, however many wait and however long their leases last', async () => {
  const { clock, request, all, network, asked } = await away();
  const waiting = dead.map((host) => network.wait(request(host, 3_600_000))!);
  for (let n = 0; n < 30; n++) await settle(clock);
  const times = dead.map((host) => asked.filter((origin) => origin === `http://${host}`).length);
  assert.ok(Math.min(...times) > 0 && Math.max(...times) - Math.min(...times) <= 1, times.join(' '));
  all('answers', ['dead7.test']);
  for (let n = 0; n < 30 && network.awaySinceMs !== null; n++) await settle(clock);
  assert.deepEqual([...new Set(await Promise.all(waiting))], [true]);
});

test('a host whose request we broke off ourselves does not show that the network is away', async () => {
  const { clock, fetchOf, all, network, said } = open();
  fetchOf('honest.test');
  await clock.advance(60_000);
  all('refuses', dead);
  all('brokenOff', ['honest.test']);
  const verdicts = dead.slice(0, 10).map(fetchOf);
  await settle(clock);
  all('answers', ['honest.test']);
  await settle(clock);
  assert.deepEqual([...new Set(await Promise.all(verdicts))], [false]);
  assert.deepEqual([network.awaySinceMs, said], [null, []]);
});

test('a name that no server answers for costs its host nothing while the servers answer for no other name', async () => {
  const { clock, names, fetchOf, all, said, forgotten } = open();
  for (const host of hosts) await fetchOf(host);
  all('noServer', ['new.test', 'newer.test']);
  names.othersAnswer = false;
  // The addresses of these hosts are known.
  assert.equal(fetchOf('a.test'), undefined);
  assert.equal(await fetchOf('new.test'), true);
  assert.match(said.join(), /name servers do not answer/);
  names.othersAnswer = true;
  assert.equal(await fetchOf('new.test'), true, 'its failure may be of the outage');
  assert.equal(forgotten(), 1);
  await clock.advance(1);
  assert.equal(fetchOf('a.test'), undefined);
  assert.equal(await fetchOf('newer.test'), false, 'one name of many that are answered is its own fault');
  assert.equal(said.length, 2, said.join());
});

test('names that failed in an outage are looked up again for each probe, and not only when their failure expires', async () => {
  const { clock, fetchOf, all, network, asked, voided } = open();
  for (const host of hosts) await fetchOf(host);
  await settle(clock);
  all('noServer', hosts);
  for (const host of hosts) void fetchOf(host);
  await settle(clock);
  assert.notEqual(network.awaySinceMs, null);
  const [before, probes] = [voided(), asked.length];
  await clock.advance(3 * networkLimits.againMs);
  assert.ok(voided() - before >= 2, `${voided() - before} times`);
  assert.ok(asked.length > probes);
});

test('a host that answers at its pace is never asked for the sake of dead ones, however many', async () => {
  const { clock, fetchOf, all, network, asked } = open();
  all('refuses', dead);
  for (const host of dead) {
    assert.equal(fetchOf('honest.test'), undefined);
    await clock.advance(500);
    const verdict = fetchOf(host);
    await clock.advance(1_000);
    fetchOf('honest.test');
    await clock.advance(networkLimits.lookMs);
    assert.equal(await verdict, false);
  }
  assert.deepEqual([asked, network.awaySinceMs], [[], null]);
});

test('an outage costs no host a failure, though a host answered a moment before it', async () => {
  const { clock, fetchOf, all, network } = open();
  for (const host of hosts) fetchOf(host);
  await clock.advance(1);
  all('refuses', [...hosts, 'new.test']);
  const verdicts = [...hosts, 'new.test'].map(fetchOf);
  await settle(clock);
  assert.deepEqual([...new Set(await Promise.all(verdicts))], [true]);
  assert.notEqual(network.awaySinceMs, null);
});

test('an answer that came while a name was looked up shows that the network is there', async () => {
  const { clock, fetchOf, all, asked, askedAtMs } = open();
  all('noServer', dead);
  for (const host of dead) {
    askedAtMs.set(host, clock.nowMs());
    fetchOf('honest.test');
    await clock.advance(5_000);
    assert.equal(await fetchOf(host), false);
  }
  assert.deepEqual(asked, []);
});

test('a request that the system refuses to send is ours at once, though a host has just answered', async () => {
  const { clock, fetchOf, all, network } = open();
  for (const host of hosts) fetchOf(host);
  all('noRoute', hosts);
  await clock.advance(1);
  const verdicts = hosts.map(fetchOf);
  await settle(clock);
  assert.deepEqual(await Promise.all(verdicts), [true, true, true, true]);
  assert.notEqual(network.awaySinceMs, null);
});
