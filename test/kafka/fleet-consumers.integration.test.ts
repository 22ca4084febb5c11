/** A crawl of a fleet on Kafka as its consumers see it: index and dedup beside it, and what is purged leaves all of them. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { skipReason } from '../../lab/kafka/components.ts';
import { lastJson, runCommand } from '../../lab/process/command.ts';
import { counted } from '../../services/runtime/counted.ts';
import { listening, untilReady } from '../services/cli/listening.ts';
import { fleetClient } from '../services/extras/fleet/running-fleet.ts';
import { serveSite } from '../services/fetcher/loopback.ts';
import { until } from '../services/until.ts';
import { besideBroker } from './beside-broker.ts';

const skip = (await skipReason()) ?? false;

/** A fleet over a site whose page N says `wordN`, and processes beside it. */
async function startFleetOfSite(t: TestContext) {
  const { broker, root, command } = await besideBroker(t, 280_000);
  const site = await serveSite(t, ({ url = '/' }, response) => {
    if (url === '/robots.txt') return response.writeHead(404).end();
    const links = url === '/' ? Array.from({ length: 8 }, (_, n) => `<a href="/p/${n}">${n}</a>`).join('') : '';
    const name = url.replace(/\D/g, '') || 'home';
    // No two pages look alike.
    const text = `word${name} ${Array.from({ length: 60 }, (_, n) => `other${name}x${(n * n) % 59}`).join(' ')}`;
    return response.setHeader('content-type', 'text/html').end(`<title>${url}</title>${links}<p>${text}`);
  });
  const fleet = `f${process.pid}`;
  const place = ['--brokers', broker.brokers];
  const run = (args: readonly string[]) => command([...args, ...place, '--http', '0']);
  const own = ['--fleet', fleet, '--data', join(root, 'fleet'), '--host-delay', '50ms'];
  const running = run(['fleet', ...own, '--resolve', `*.test:${site.port}:127.0.0.1`]);
  const client = fleetClient(running, await listening(running));
  await untilReady(client.base);
  const url = (path: string) => site.url('docs.test', path);
  const reported = async (...words: string[]) => {
    const done = await runCommand(words);
    assert.equal(done.code, 0, `${words.join(' ')}: ${done.stdout}${done.stderr}`);
    return done;
  };
  const find = async (word: string, data: string) =>
    (await reported('search', word, '--data', data)).stdout.includes('/p/');
  return { root, fleet, place, run, client, url, reported, find };
}

const policy = { delayMs: 50, delayFactor: 0, scope: { kind: 'host' } };

test('index and dedup follow a fleet’s crawl on Kafka, and forget what is purged', {
  skip,
  timeout: 300_000,
}, async (t) => {
  const { root, fleet, place, run, client, url, reported, find } = await startFleetOfSite(t);
  await client.create({ seeds: [url('/')], policy, name: 'docs' });
  const on = [...place, '--crawl', `${fleet}.docs`];
  const folders = { index: join(root, 'index'), dedup: join(root, 'dedup') };
  for (const [role, data] of Object.entries(folders)) {
    const started = run([role, '--crawl', `${fleet}.docs`, '--data', data]);
    await untilReady(await listening(started)).catch(async () => assert.fail((await started.ended).stderr));
  }
  await client.until('the end', ([docs]) => docs?.end === 'done');

  const found = (word: string) => find(word, folders.index);
  await until(() => found('word5'));
  assert.equal((await client.pages('docs')).length, 9);

  await reported('purge', url('/p/5'), ...on, '--force');
  const receipt = ['--receipt', join(root, 'one.jws'), '--receipt-key', 'env:RECEIPT_KEY', '--json'];
  process.env['RECEIPT_KEY'] = key;
  const forgotten = lastJson(await reported('forget', ...on, ...receipt)) as unknown as Report;
  assert.deepEqual(forgotten.places, [
    // Its tombstone is there; that compaction drops the record is the brokers' part.
    { place: 'topic pages', removed: 0, left: 1, more: { tombstones: 1 } },
    { place: 'group dedup', left: 0, more: { recordsNotRead: 0 } },
    { place: 'group index', left: 0, more: { recordsNotRead: 0 } },
  ]);
  const flow = forgotten.notReached.find(({ place }) => place === 'topic flow');
  assert.match(flow?.why ?? '', /until the fleet deletes the crawl/);
  await until(async () => !(await found('word5')));
  assert.ok(await found('word6'));
  const urls = (await client.pages('docs')).map((page) => page.url);
  assert.ok(!urls.includes(url('/p/5')) && urls.includes(url('/p/6')), urls.join(' '));
});

test('a process runs consumers for all crawls of a fleet, continues after kill -9, and keeps nothing of a deleted one', {
  skip,
  timeout: 300_000,
}, async (t) => {
  const { root, fleet, run, client, url, find } = await startFleetOfSite(t);
  const data = join(root, 'consumers');
  const role = ['fleet', '--fleet', fleet, '--role', 'consumers', '--with', 'dedup,index,archive', '--data', data];
  const follows = async (crawls: number) => {
    const running = run(role);
    const base = await listening(running);
    await untilReady(base);
    await until(async () =>
      (await (await fetch(`${base}/readyz`)).text()).includes(`follows ${counted(crawls, 'crawl')}`),
    );
    return running;
  };
  await client.create({ seeds: [url('/')], policy, name: 'one' });
  const first = await follows(1);
  const found = (word: string, name: string) => {
    const folder = join(data, 'crawls', name);
    return existsSync(join(folder, 'manifest.json')) ? find(word, folder).catch(() => false) : false;
  };
  await until(() => found('word5', 'one'));
  first.child.kill('SIGKILL');
  await first.ended;
  await client.create({ seeds: [url('/')], policy, name: 'two' });
  await client.until('the end of both', (all) => all.every(({ end }) => end === 'done'));
  await follows(2);
  await until(() => found('word7', 'two'));
  await until(() => found('word7', 'one'));
  assert.equal((await client.call('DELETE', '/v1/crawls/one')).status, 204);
  await until(() => !existsSync(join(data, 'crawls', 'one')));
  assert.ok(await found('word7', 'two'));
  await client.create({ seeds: [url('/p/3')], policy, name: 'one' });
  await until(() => found('word3', 'one'));
  assert.ok(!(await found('word7', 'one')), 'nothing of the crawl that had its name');
});

interface Report {
  readonly places: readonly object[];
  readonly notReached: readonly { readonly place: string; readonly why: string }[];
}

/** The example of RFC 8410 §10.3. */
const key = `-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g
-----END PRIVATE KEY-----
`;
