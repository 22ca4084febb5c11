/** A crawl for which the process of a fleet stops answering: the process is ended, the next one holds the crawl, others go on. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, afterEach, before, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CrawlAnswer } from '../../../../../services/extras/fleet/fleet-schemas.ts';
import { temporaryFolder } from '../../../runtime/store/temporary-folder.ts';

const program = new URL('./fleet-that-stands.ts', import.meta.url).pathname;
const keyOf = (owner: string) => `key-of-${owner}-0123456789abcdef`;
const token = 'token-of-the-operator-0123456789';
let site: ReturnType<typeof createServer>;
let port = 0;
const started: ChildProcess[] = [];

before(async () => {
  site = createServer((request, response) => {
    response.setHeader('content-type', 'text/html');
    const next = Number(request.url!.slice(1)) + 1;
    response.end(request.url === '/robots.txt' ? '' : `<title>${next}</title><a href="/${next}">next</a>`);
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  port = (site.address() as AddressInfo).port;
});
after(() => site.close());
afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
});

interface Standing {
  readonly child: ChildProcess;
  readonly base: string;
  readonly ended: Promise<readonly unknown[]>;
  said(): string;
  call(who: string, method: string, path: string, body?: object): Promise<{ status: number; body: CrawlAnswer }>;
}

async function start(data: string, stillMs: number, harmless = false): Promise<Standing> {
  const owners = `${data}-owners.yaml`;
  writeFileSync(owners, '- { name: eve, key: { env: KEY_EVE } }\n- { name: ann, key: { env: KEY_ANN } }\n');
  const flags = ['--resolve', `*.test:${port}:127.0.0.1`, '--host-delay', '10ms', '--contact', 'me@example.org'];
  const args = ['fleet', '--data', data, '--http', '0', '--owners', owners, ...flags];
  const env = {
    ...{ ...process.env, KEY_EVE: keyOf('eve'), KEY_ANN: keyOf('ann'), CRAWLSTREAM_HTTP_TOKEN: token },
    ...{ STILL_MS: `${stillMs}`, HARMLESS: harmless ? 'yes' : 'no' },
  };
  const child = spawn(process.execPath, ['--import', 'tsx', program, ...args], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  started.push(child);
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => (text += part));
  const ended = once(child, 'exit');
  let base = '';
  for (let look = 0; look < 1_200 && base === ''; look++) {
    base = /http:\/\/127\.0\.0\.1:\d+/.exec(text)?.[0] ?? '';
    const ready =
      base !== '' &&
      (await fetch(`${base}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      ));
    if (!ready) base = '';
    assert.equal(child.exitCode, null, text);
    await sleep(50);
  }
  return {
    ...{ child, base, ended, said: () => text },
    async call(who, method, path, body) {
      const authorization = `Bearer ${who === 'operator' ? token : keyOf(who)}`;
      const headers = { authorization, ...(body && { 'content-type': 'application/json' }) };
      const response = await fetch(`${base}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
      const text = await response.text();
      return { status: response.status, body: (text === '' ? {} : JSON.parse(text)) as CrawlAnswer };
    },
  };
}

const callOf = (name: string, pages: number) => ({
  ...{ name, seeds: [`http://${name}.test:${port}/0`], policy: { maxDepth: 1_000, pageQuota: pages } },
});

async function annEnds({ call }: Standing): Promise<void> {
  for (let look = 0; look < 600; look++) {
    const { body } = await call('ann', 'GET', '/v1/crawls/ann');
    if (body.state === 'ended') return assert.equal(body.counts.pages, 20);
    await sleep(50);
  }
  assert.fail('the crawl of another owner does not end');
}

for (const [name, exit] of [
  ['stands', 75],
  ['native', null],
] as const)
  it(`a crawl that blocks its process (${name}) is held by the next process, where others go on`, async () => {
    const data = join(temporaryFolder(), 'fleet');
    const first = await start(data, 3_000);
    assert.equal((await first.call('ann', 'POST', '/v1/crawls', callOf('ann', 20))).status, 201);
    await first.call('eve', 'POST', '/v1/crawls', callOf(name, 5)).catch(() => {});
    const [code, signal] = await first.ended;
    assert.deepEqual([code, signal], exit === null ? [null, 'SIGKILL'] : [exit, null], first.said());

    const second = await start(data, 3_000);
    await annEnds(second);
    const mine = (await second.call('eve', 'GET', `/v1/crawls/${name}`)).body;
    assert.equal(mine.state, 'held');
    assert.match(mine.failure ?? '', /kept the process of the fleet from answering.*the operator resumes it/);
    for (const verb of ['resume', 'pause', 'resume']) {
      const { status, body } = await second.call('eve', 'POST', `/v1/crawls/${name}/${verb}`);
      if (verb === 'pause') assert.equal(body.state, 'held');
      else assert.match(`${status} ${JSON.stringify(body)}`, /^400 .*the operator resumes it/);
    }
    assert.equal(second.said().split(`${name}: work for this crawl`).length, 2, second.said());
    // Neither under another name nor in its own place can its owner start it again.
    const { seeds, policy } = callOf(name, 5);
    for (const again of [`${name}-again`, name]) {
      if (again === name) assert.equal((await second.call('eve', 'DELETE', `/v1/crawls/${name}`)).status, 204);
      const { status, body } = await second.call('eve', 'POST', '/v1/crawls', { name: again, seeds, policy });
      assert.deepEqual([status, body.state], [201, 'held'], JSON.stringify(body));
      assert.match(body.failure ?? '', /the same seeds and the same policy/);
    }
    assert.equal((await second.call('eve', 'DELETE', `/v1/crawls/${name}-again`)).status, 204);
    const metrics = await fetch(`${second.base}/metrics`, { headers: { authorization: `Bearer ${token}` } });
    const counts = await metrics.text();
    assert.match(counts, /crawlstream_fleet_held_crawls(\{[^}]*\})? 1\n/);
    assert.match(counts, /crawlstream_fleet_owner_loop_seconds_total\{[^}]*owner="ann"[^}]*\} \d+\.\d+\n/);
    second.child.kill('SIGTERM');
    await second.ended;

    const third = await start(data, 3_000, true);
    assert.equal((await third.call('operator', 'GET', `/v1/crawls/${name}`)).body.state, 'held');
    const resumed = await third.call('operator', 'POST', `/v1/crawls/${name}/resume`);
    assert.equal(resumed.status, 200, JSON.stringify(resumed.body));
    for (let look = 0; look < 400; look++) {
      if ((await third.call('eve', 'GET', `/v1/crawls/${name}`)).body.state === 'ended') return;
      await sleep(50);
    }
    assert.fail('a crawl that the operator resumed does not go on');
  });

it('a crawl is held after its process was killed twice during its unresponsive work', async () => {
  const data = join(temporaryFolder(), 'fleet');
  for (let death = 0; death < 2; death++) {
    const fleet = await start(data, 600_000).catch(() => undefined);
    if (death === 0) {
      assert.equal((await fleet!.call('ann', 'POST', '/v1/crawls', callOf('ann', 20))).status, 201);
      await fleet!.call('eve', 'POST', '/v1/crawls', callOf('stands', 5)).catch(() => {});
    }
    const child = started.at(-1)!;
    const note = join(data, 'loop.json');
    for (let look = 0; look < 600; look++) {
      if (existsSync(note) && (JSON.parse(readFileSync(note, 'utf8')) as { state: string }).state === 'standing') break;
      await sleep(50);
    }
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }
  const third = await start(data, 600_000);
  await annEnds(third);
  const { state, failure } = (await third.call('eve', 'GET', '/v1/crawls/stands')).body;
  assert.equal(state, 'held');
  assert.match(failure ?? '', /died twice while it worked for this crawl/);
});
