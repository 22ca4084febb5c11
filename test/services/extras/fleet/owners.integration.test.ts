/** Owners of a fleet's crawls: each sees and touches its own alone, and a spent quota holds nobody else up, through a kill -9. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { runCommand } from '../../../../lab/process/command.ts';
import type { CrawlAnswer } from '../../../../services/extras/fleet/fleet-schemas.ts';
import { startSmallWeb } from '../../cli/small-web.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';
import { until } from '../../until.ts';
import { startFleet } from './running-fleet.ts';

const keyOf = (owner: string) => `key-of-${owner}-0123456789abcdef`;
const token = 'token-of-the-operator-0123456789';

test('an owner reaches only its own crawls, and neither its quota nor its rate affects others', async () => {
  const small = await startSmallWeb({ preset: 'plain', hosts: 6, pagesPerHost: 20, domains: 3 });
  const folder = temporaryFolder();
  const data = join(folder, 'fleet');
  const owners = join(folder, 'owners.yaml');
  writeFileSync(join(folder, 'ann'), `${keyOf('ann')}\n`);
  writeFileSync(
    owners,
    `- { name: ann, key: { file: ${join(folder, 'ann')} }, pagesPerDay: 30, weightMax: 3 }
- { name: bob, key: { env: KEY_OF_BOB }, crawlsMax: 2 }
- { name: cat, key: { env: KEY_OF_CAT }, callsPerMinute: 60, crawlsMax: 1 }
`,
  );
  const env = {
    ...process.env,
    CRAWLSTREAM_HTTP_TOKEN: token,
    ...{ KEY_OF_BOB: keyOf('bob'), KEY_OF_CAT: keyOf('cat'), KEY_OF_DAN: 'short' },
  };
  const resolve = ['--resolve', `*.test:${small.port}:127.0.0.1`];
  const flags = [...resolve, '--host-delay', '20ms', '--contact', 'me@example.org', '--owners', owners];
  let fleet = await startFleet(data, flags, { env });
  after(() => fleet.running.child.kill('SIGKILL'));
  const as = (owner: string) => (method: string, path: string, body?: object) =>
    fleet.call(method, path, body, { authorization: `Bearer ${keyOf(owner)}` });
  const [ann, bob, cat] = [as('ann'), as('bob'), as('cat')];
  const policy = { delayMs: 20, delayFactor: 0 };
  const call = { seeds: small.seeds, policy, idempotencyKey: 'same' };

  // Without a key, or with a wrong one, there is nothing to be had.
  const routes = [
    ...[
      ['GET', ''],
      ['POST', ''],
      ['GET', '/x'],
      ['DELETE', '/x'],
      ['GET', '/x/pages'],
      ['GET', '/x/events'],
      ['GET', '/x/pages.parquet'],
      ['GET', '/x/archive.warc.gz'],
    ],
    ...[
      ['POST', '/x/pause'],
      ['POST', '/x/resume'],
      ['POST', '/x/end'],
    ],
  ] as const;
  for (const authorization of [
    '',
    'Bearer ',
    `Bearer ${keyOf('dan')}`,
    `Basic ${keyOf('ann')}`,
    `Bearer ${keyOf('ann')}x`,
  ])
    for (const [method, path] of [...routes, ['GET', '/../owners'], ['POST', '/../scrape']] as const) {
      const answer = await fleet.call(method!, `/v1/crawls${path}`, method === 'POST' ? call : undefined, {
        authorization,
      });
      assert.equal(answer.status, 401, `${method} ${path} ${authorization}`);
    }

  const made = await ann('POST', '/v1/crawls', { ...call, name: 'ann-1' });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  assert.equal((made.body as CrawlAnswer).owner, 'ann');
  assert.equal((made.body as CrawlAnswer).data, undefined);
  // The same idempotency key of another owner is another's.
  const bobs = await bob('POST', '/v1/crawls', { ...call, name: 'bob-1' });
  assert.deepEqual([bobs.status, (bobs.body as CrawlAnswer).name], [201, 'bob-1']);
  assert.equal((await ann('POST', '/v1/crawls', { ...call, name: 'ann-1' })).status, 200);
  const spoofed = await bob('POST', '/v1/crawls', { ...call, owner: 'ann', idempotencyKey: '' });
  assert.equal(spoofed.status, 400);
  assert.match(JSON.stringify(spoofed.body), /owner: the key belongs to bob/);

  // So does its dashboard; what is done to hosts there is the operator's.
  const looked = async (owner: string, method: string, path: string) =>
    (await as(owner)(method, `/crawls/ann-1${path}`, method === 'POST' ? {} : undefined)).status;
  assert.deepEqual(
    [
      await looked('bob', 'GET', '/dashboard/data'),
      await looked('bob', 'POST', '/hosts/a.test/block'),
      await looked('ann', 'POST', '/hosts/a.test/block'),
      await looked('ann', 'GET', '/dashboard/story?url=http://a.test/'),
      await looked('ann', 'GET', '/dashboard/record?url=http://a.test/'),
      await looked('dan', 'GET', '/dashboard/data'),
    ],
    [404, 404, 403, 403, 403, 401],
  );
  await until(async () => (await looked('ann', 'GET', '/dashboard/data')) === 200);

  // What is another's answers as what is not there.
  for (const [method, path] of routes.filter(([, path]) => path !== '')) {
    const theirs = await bob(method!, `/v1/crawls${path!.replace('x', 'ann-1')}`);
    const nobodys = await bob(method!, `/v1/crawls${path!.replace('x', 'ann-9')}`);
    assert.equal(theirs.status, 404, `${method} ${path}`);
    assert.equal(
      JSON.stringify(theirs.body).replaceAll('ann-1', ''),
      JSON.stringify(nobodys.body).replaceAll('ann-9', ''),
    );
  }
  const listed = (await bob('GET', '/v1/crawls')).body as { readonly crawls: readonly CrawlAnswer[] };
  assert.deepEqual(
    listed.crawls.map(({ name }) => name),
    ['bob-1'],
  );
  assert.ok(!JSON.stringify(listed).includes(folder));
  assert.deepEqual((await fleet.list()).map(({ name }) => name).sort(), ['ann-1', 'bob-1']);

  // A quota of pages: the crawl is held, and whoever has some left goes on.
  const heavy = await ann('POST', '/v1/crawls', { ...call, idempotencyKey: '', weight: 3 });
  assert.equal(heavy.status, 429);
  const held = await fleet.until('the hold of ann’s', (all) =>
    all.some(({ name, state }) => name === 'ann-1' && state === 'held'),
  );
  const { counts, failure } = held.find(({ name }) => name === 'ann-1')!;
  assert.ok(counts.pages >= 30 && counts.pages < 100, `${counts.pages}`);
  assert.match(failure!, /ann used its quota of 30 pages per day: it continues at 20\d\d-/);
  const more = await ann('POST', '/v1/crawls', { ...call, idempotencyKey: '' });
  assert.equal(more.status, 429);
  assert.ok(Number(more.headers.get('retry-after')) > 0);
  await fleet.until('the end of bob’s', (all) => all.some(({ name, end }) => name === 'bob-1' && end === 'done'));

  // One page: a copy of the owner's own, else fetched as politely as any, else why there is none.
  const [page] = small.plan.expected(small.port).fetch;
  const scrape = (who: typeof bob, given: object) =>
    who('POST', '/v1/scrape', { url: page, waitSeconds: 50, ...given });
  interface Scraped {
    readonly isFetched: boolean;
    readonly page: { readonly url: string; readonly markdown: string };
    readonly message: string;
  }
  const before = small.web.requests().length;
  const copy = await scrape(bob, {});
  assert.equal(copy.status, 200, JSON.stringify(copy.body));
  assert.deepEqual([(copy.body as Scraped).isFetched, (copy.body as Scraped).page.url], [false, page]);
  assert.equal(small.web.requests().length, before);
  for (const [who, given] of [
    [bob, { maxAgeSeconds: 0 }],
    [cat, {}],
  ] as const) {
    const anew = await Promise.all([scrape(who, given), scrape(who, given)]);
    for (const { status, body } of anew) {
      assert.equal(status, 200, JSON.stringify(body));
      assert.ok((body as Scraped).page.markdown !== '');
    }
    assert.ok(anew.some(({ body }) => (body as Scraped).isFetched));
  }
  assert.equal((await scrape(ann, { maxAgeSeconds: 0 })).status, 429);
  for (const [url, said] of [
    ['http://169.254.169.254/latest/meta-data/', /blockedAddress|not public/],
    [`http://127.0.0.1:${small.port}/`, /blockedAddress|not public/],
  ] as const) {
    const refused = await scrape(bob, { url });
    assert.equal(refused.status, 422, JSON.stringify(refused.body));
    assert.match((refused.body as Scraped).message, said);
  }
  assert.equal((await scrape(bob, { url: 'file:///etc/passwd' })).status, 400);
  const { shortGaps, concurrency } = small.check({ delayMs: 20 });
  assert.deepEqual([shortGaps.count, concurrency.count], [0, 0], shortGaps.details.join());

  // Nor does a kill, or a deletion, give any of it back.
  const usedOf = async () =>
    (
      (await ann('GET', '/v1/owners')).body as {
        readonly owners: readonly { readonly name: string; readonly pagesToday: { readonly used: number } }[];
      }
    ).owners;
  const used = (await usedOf())[0]!.pagesToday.used;
  assert.equal(used, counts.pages);
  fleet.running.child.kill('SIGKILL');
  await fleet.running.ended;
  fleet = await startFleet(data, flags, { env });
  await fleet.until('the hold after the kill', (all) =>
    all.some(({ name, state }) => name === 'ann-1' && state === 'held'),
  );
  assert.deepEqual(
    (await usedOf()).map(({ name, pagesToday }) => [name, pagesToday.used]),
    [['ann', used]],
  );
  assert.equal((await ann('DELETE', '/v1/crawls/ann-1')).status, 204);
  assert.equal((await usedOf())[0]!.pagesToday.used, used);
  assert.equal((await ann('POST', '/v1/crawls', { ...call, idempotencyKey: '' })).status, 429);

  // Crawls at once, and calls a minute.
  const slow = { ...call, policy: { ...policy, delayMs: 5_000 }, idempotencyKey: '' };
  assert.equal((await cat('POST', '/v1/crawls', { ...slow, name: 'cat-1' })).status, 201);
  const second = await cat('POST', '/v1/crawls', slow);
  assert.match(JSON.stringify(second), /cat may run at most 1 crawl at once/);
  assert.equal((await cat('POST', '/v1/crawls/cat-1/pause')).status, 200);
  const answers = await Promise.all(Array.from({ length: 20 }, () => cat('GET', '/v1/crawls')));
  const refused = answers.filter(({ status }) => status === 429);
  assert.ok(refused.length >= 10, `${refused.length} of 20`);
  assert.ok(refused.every(({ headers }) => Number(headers.get('retry-after')) >= 1));
  assert.equal((await bob('GET', '/v1/crawls')).status, 200);
  await until(async () => (await cat('GET', '/v1/crawls')).status === 200);

  // Keys are in no log and no file of the fleet's.
  const output = fleet.running.output();
  const files = (readdirSync(data, { recursive: true }) as string[])
    .map((name) => join(data, name))
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true);
  const texts = [output, ...files.filter((path) => path.endsWith('.json')).map((path) => readFileSync(path, 'utf8'))];
  for (const key of [keyOf('ann'), keyOf('bob'), keyOf('cat'), token])
    assert.ok(texts.every((text) => !text.includes(key)));
  assert.match(output, /POST \/v1\/crawls: 429/);

  // A file that is wrong is refused with what is wrong, and without the key.
  for (const [text, said] of [
    [
      `- { name: a, key: { env: KEY_OF_BOB } }\n- { name: b, key: { env: KEY_OF_BOB } }`,
      /--owners b: key: a has the same/,
    ],
    ['- { name: a, key: { env: KEY_OF_DAN } }', /--owners a: key: the key is too short/],
    ['- { name: a, key: 0123456789abcdef0123 }', /write a secret as a reference/],
    ['- { name: a, key: { env: KEY_OF_NOBODY } }', /KEY_OF_NOBODY is not set/],
  ] as const) {
    writeFileSync(owners, text);
    const { code, stderr } = await runCommand(
      ['fleet', '--data', join(folder, 'other'), '--http', '0', '--owners', owners],
      { env },
    );
    assert.ok(code !== null && code > 0, stderr);
    assert.match(stderr, said);
    assert.ok(!stderr.includes(keyOf('bob')));
  }
});
