/** Owners of a fleet that mean harm, by what a policy can say: the process answers, other owners' crawls go on, robots.txt is obeyed. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { CrawlAnswer } from '../../../../services/extras/fleet/fleet-schemas.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';
import { type FleetClient, startFleet } from './running-fleet.ts';

const keyOf = (owner: string) => `key-of-${owner}-0123456789abcdef`;
const pathOfBacktracking = `/${'a'.repeat(50)}!`;

/** A site whose first page links to URLs on which a pattern that backtracks never ends. */
async function startSite() {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.headers.host}${request.url}`);
    if (request.url === '/robots.txt') return void response.end('User-agent: *\nDisallow: /private\n');
    response.setHeader('content-type', 'text/html');
    response.end(`<title>${request.url}</title><a href="${pathOfBacktracking}">a</a><a href="/private">b</a>`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { port: (server.address() as AddressInfo).port, asked, close: () => server.close() };
}

describe('a fleet with a hostile owner', () => {
  let fleet: FleetClient;
  let site: Awaited<ReturnType<typeof startSite>>;
  const as = (owner: string) => (method: string, path: string, body?: object) =>
    fleet.call(method, path, body, { authorization: `Bearer ${keyOf(owner)}` });
  const seeds = (host: string) => [`http://${host}.test:${site.port}/`];

  before(async () => {
    site = await startSite();
    const folder = temporaryFolder();
    const owners = join(folder, 'owners.yaml');
    // Large bodies count as many calls: a small allowance would refuse them before their policies are read.
    const callsPerMinute = 60_000;
    const keys = { eve: 'KEY_EVE', ann: 'KEY_ANN' };
    const file = Object.entries(keys).map(([name, env]) => ({ name, key: { env }, callsPerMinute }));
    writeFileSync(owners, JSON.stringify(file));
    const env = { ...process.env, KEY_EVE: keyOf('eve'), KEY_ANN: keyOf('ann') };
    const resolve = ['--resolve', `*.test:${site.port}:127.0.0.1`];
    const flags = [...resolve, '--host-delay', '10ms', '--contact', 'me@example.org', '--owners', owners];
    fleet = await startFleet(join(folder, 'fleet'), flags, { env });
  });
  after(() => {
    fleet.running.child.kill('SIGKILL');
    site.close();
  });

  const livez = async (): Promise<number> => {
    const beganMs = performance.now();
    const response = await fetch(`${fleet.base}/livez`, { signal: AbortSignal.timeout(20_000) });
    assert.equal(response.status, 200);
    return performance.now() - beganMs;
  };
  const ended = async (owner: string, name: string): Promise<CrawlAnswer> => {
    for (let look = 0; look < 240; look++) {
      const { body } = await as(owner)('GET', `/v1/crawls/${name}`);
      const crawl = body as CrawlAnswer;
      if (['ended', 'failed', 'paused'].includes(crawl.state)) return crawl;
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
    throw new Error(`${name} goes on`);
  };

  const operators: readonly (readonly [field: string, policy: object])[] = [
    ['sink', { sink: 'pull' }],
    ['patterns', { patterns: 'javascript' }],
    ['parallel', { parallel: [{ hosts: ['*'], leases: 16 }] }],
    ['addressDelayMs', { addressDelayMs: 0 }],
    ['serverErrorsMax', { serverErrorsMax: 1 }],
    ['queuedMax', { queuedMax: 1e9 }],
    ['urlsPerLeaseMax', { urlsPerLeaseMax: 1e6 }],
    ['leadTimeMs', { leadTimeMs: 1e12 }],
    ['leaseMarginMs', { leaseMarginMs: 86_400_000 }],
    ['pay', { pay: 'none' }],
    ['trace', { trace: { share: 1 } }],
    [
      'overlays[0].set.robotsNotAsked',
      { overlays: [{ name: 'o', match: { domains: ['test'] }, set: { robotsNotAsked: 'we feel like it' } }] },
    ],
    ['overlays[0].set.leases', { overlays: [{ name: 'o', match: { domains: ['test'] }, set: { leases: 16 } }] }],
  ];
  for (const [field, policy] of operators)
    it(`a fleet refuses an owner’s policy.${field}, which is the operator’s, and names it`, async () => {
      const { status, body } = await as('eve')('POST', '/v1/crawls', { seeds: seeds('eve'), policy });
      assert.equal(status, 400, JSON.stringify(body));
      assert.ok(
        (body as { message: string }).message.startsWith(`policy.${field}: only the operator`),
        JSON.stringify(body),
      );
    });

  const backtracking = '(a+)+$';
  const patterned: Readonly<Record<string, object>> = {
    include: { filters: { include: [backtracking, 'test'] } },
    exclude: { filters: { exclude: [backtracking] } },
    metadata: { metadata: [{ name: 'm', url: backtracking }] },
    recrawl: {
      recrawl: {
        ...{ schedule: 'fixed', intervalMs: 86_400_000, fetchesPerDay: null, share: 0.5, errorMs: 86_400_000 },
        ...{ goneMs: 86_400_000, rules: [{ url: backtracking, intervalMs: 86_400_000 }] },
      },
    },
    overlay: { overlays: [{ name: 'o', match: { patterns: [backtracking] }, set: { frontQueue: 1 } }] },
    'overlay-filters': {
      overlays: [{ name: 'o', match: { patterns: ['a'] }, set: { filters: { exclude: [backtracking] } } }],
    },
  };
  for (const [place, policy] of Object.entries(patterned))
    it(`a fleet answers while an owner’s backtracking pattern meets its URL (${place})`, async () => {
      const call = {
        seeds: seeds(`${place}-eve`),
        policy: { ...policy, maxDepth: 2, pageQuota: 5 },
        name: `eve-${place}`,
      };
      const { status, body } = await as('eve')('POST', '/v1/crawls', call);
      assert.equal(status, 201, JSON.stringify(body));
      const ann = { seeds: seeds(`${place}-ann`), policy: { maxDepth: 1, pageQuota: 2 }, name: `ann-${place}` };
      assert.equal((await as('ann')('POST', '/v1/crawls', ann)).status, 201);
      assert.equal((await ended('ann', `ann-${place}`)).counts.pages, 2);
      assert.ok((await livez()) < 1_000);
      assert.equal((await as('eve')('DELETE', `/v1/crawls/eve-${place}`)).status, 204);
    });

  const large: Readonly<Record<string, object>> = {
    patterns: { filters: { exclude: Array.from({ length: 200_000 }, (_, at) => `/p${at}/`) } },
    'patterns that are few enough as texts': {
      filters: { exclude: Array.from({ length: 1_001 }, (_, at) => `/p${at}/`) },
    },
    overlays: {
      overlays: Array.from({ length: 20_000 }, (_, at) => ({
        ...{ name: `${at}`, match: { hosts: [`h${at}.test`] }, set: { maxDepth: 1 } },
      })),
    },
    'a pattern with a million states': { filters: { exclude: ['((a{100}){10}){10}'] } },
    'look-around': { filters: { exclude: ['(?<=a)b'] } },
    nesting: { filters: { exclude: Array.from({ length: 1 }).reduce<unknown>((inner) => [inner], deep(2_000)) } },
  };
  for (const [what, policy] of Object.entries(large))
    it(`a fleet refuses an excessive policy at once, naming the field: ${what}`, async () => {
      const beganMs = performance.now();
      const { status, body } = await as('eve')('POST', '/v1/crawls', { seeds: seeds('eve'), policy });
      assert.equal(status, 400, JSON.stringify(body).slice(0, 500));
      assert.match((body as { message: string }).message, /^policy/);
      assert.ok(performance.now() - beganMs < 5_000);
      assert.ok((await livez()) < 1_000);
    });

  it('a fleet reserves the names of crawls that fetch a single page', async () => {
    const call = { seeds: seeds('eve'), name: `page-${'0123456789ab'.repeat(2)}` };
    const { status, body } = await as('eve')('POST', '/v1/crawls', call);
    assert.deepEqual([status, (body as { message: string }).message.startsWith('name: ')], [400, true]);
  });

  it('a fleet keeps an owner’s crawl named page-… when other pages are scraped', async () => {
    const call = { seeds: seeds('kept'), name: 'page-mine', policy: { maxDepth: 0 } };
    assert.equal((await as('ann')('POST', '/v1/crawls', call)).status, 201);
    await ended('ann', 'page-mine');
    assert.equal((await as('ann')('GET', '/v1/crawls/page-mine')).status, 200);
  });

  it('a fleet obeys robots.txt for every crawl', () => {
    assert.deepEqual(
      site.asked.filter((url) => url.endsWith('/private')),
      [],
    );
  });
});

function deep(levels: number): unknown {
  let value: unknown = 'x';
  for (let level = 0; level < levels; level++) value = [value];
  return value;
}
