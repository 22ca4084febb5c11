/** A crawl that runs, and a desk beside it: what a webmaster orders is what the host sees, within seconds. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { lastJson, runCommand, startCommand } from '../../../../lab/process/command.ts';
import { listening, untilReady } from '../../cli/listening.ts';
import { serveSite } from '../../fetcher/loopback.ts';
import { until } from '../../until.ts';
import { Visitor } from './visitor.ts';

const filePath = '/.well-known/crawlstream-desk.txt';
/** Longer than a lease's next request would take, and than fetchers take to read `control`. ms */
const quietMs = 2_500;

/** `place`: the words that name the crawl. */
export async function desksBesideCrawls(t: TestContext, place: readonly string[], more: readonly string[] = []) {
  let proof = '';
  const pages = Array.from({ length: 400 }, (_, n) => `<a href="/p/${n}">${n}</a>`).join('');
  const site = await serveSite(t, ({ url = '/' }, response, host) => {
    if (url === '/robots.txt') return response.writeHead(404).end();
    if (url === filePath) return response.end(host === 'a.test' ? proof : '');
    response.setHeader('content-type', 'text/html').end(`<title>${url}</title>${url === '/' ? pages : ''}`);
  });
  const [a, b] = [`a.test:${site.port}`, `b.test:${site.port}`];
  const reach = ['--resolve', `*.test:${site.port}:127.0.0.1`];
  const pace = ['--delay', '150ms', '--partitions', '2', '--max-depth', '1'];
  const crawl = startCommand(['crawl', `http://${a}/`, `http://${b}/`, ...place, ...reach, ...pace, ...more], {
    patienceMs: 150_000,
  });
  t.after(() => crawl.child.kill('SIGKILL'));
  const hitsOf = (name: string) => site.hits.filter(({ host, path }) => host === name && /^\/p\//.test(path));
  const goesOn = async (name: string) => {
    const before = hitsOf(name).length;
    await until(() => hitsOf(name).length > before + 1 || crawl.child.exitCode !== null);
    assert.equal(crawl.child.exitCode, null, crawl.output());
  };
  /** And the other host meanwhile is not. */
  const restsFor = async (name: string) => {
    await until(() => performance.now() - (hitsOf(name).at(-1)?.startMs ?? 0) > quietMs);
    const [rested, others] = [hitsOf(name).length, hitsOf('b.test').length];
    await until(() => hitsOf('b.test').length > others + 5);
    assert.equal(hitsOf(name).length, rested);
  };
  await goesOn('a.test');

  const desk = startCommand(['desk', ...place, '--http', '127.0.0.1:0', ...reach], { patienceMs: 150_000 });
  t.after(() => desk.child.kill('SIGKILL'));
  const address = await listening(desk);
  await untilReady(address);
  const [owner, stranger] = [new Visitor(address, '192.0.2.1'), new Visitor(address, '192.0.2.2')];
  proof = (await owner.asked(a)).line;
  assert.equal((await stranger.prove(a, 'file')).status, 403);
  assert.equal((await stranger.order(a, { order: 'pause' })).status, 403);
  await goesOn('a.test');
  assert.equal((await owner.prove(a, 'file')).status, 303);
  assert.match((await owner.get(`/host?host=${a}`)).text, /\/p\/\d+<td>200/);

  const ordered = async (fields: Readonly<Record<string, string>>) => {
    const { status, text } = await owner.order(a, fields);
    assert.equal(status, 200, text);
    assert.match(text, /<pre id="receipt">[\w-]+\.[\w-]+\.[\w-]+</);
  };
  await ordered({ order: 'pause' });
  await restsFor('a.test');
  await ordered({ order: 'resume' });
  await goesOn('a.test');

  await ordered({ order: 'delay', seconds: '1.5' });
  const gaps = () => hitsOf('a.test').map(({ startMs }, n, all) => startMs - (all[n - 1]?.endMs ?? 0));
  // Leases of before go at the pace that they were granted with.
  await until(() => gaps().at(-1)! >= 1_490 && hitsOf('a.test').at(-1)!.endMs > 0);
  const slow = gaps().length;
  await until(() => gaps().length >= slow + 2);
  for (const gap of gaps().slice(slow)) assert.ok(gap >= 1_490, `${gap} ms`);

  await ordered({ order: 'remove', sure: 'yes' });
  await restsFor('a.test');
  crawl.child.kill('SIGINT');
  await crawl.ended;
  desk.child.kill('SIGINT');
  assert.equal((await desk.ended).code, 0, desk.output());
  const audit = await runCommand(['audit', ...place, '--json']);
  assert.deepEqual((lastJson(audit) as { readonly details: unknown }).details, [], audit.stderr);
}
