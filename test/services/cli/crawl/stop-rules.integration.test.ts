/** Runs that stop by themselves: the reason is said, nothing queued is lost, and the same command goes on. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { lastJson, runCommand } from '../../../../lab/process/command.ts';
import { serveSite } from '../../fetcher/loopback.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';

/** Each page links to the next ten of `pages`; those that `fails` says are missing. */
async function chain(t: TestContext, pages: number, fails: (n: number) => boolean = () => false) {
  const asked: string[] = [];
  const { port } = await serveSite(t, (request, response) => {
    const path = request.url!;
    if (path === '/robots.txt') return response.writeHead(404).end();
    asked.push(path);
    const n = Number(path.slice(1));
    if (fails(n)) return response.writeHead(404).end();
    const links = Array.from({ length: 10 }, (_, step) => n * 10 + step + 1).filter((to) => to < pages);
    const text = links.map((to) => `<a href="/${to}">${to}</a>`).join(' ');
    return response.writeHead(200, { 'content-type': 'text/html' }).end(`<p>${text}${'x'.repeat(1000)}`);
  });
  return { seed: `http://127.0.0.1:${port}/0`, asked };
}

function crawl(seed: string, data: string, ...flags: readonly string[]) {
  return runCommand(['crawl', seed, '--allow-private', '--data', data, '--json', ...flags]);
}

const folder = () => join(temporaryFolder(), 'data');

test('a run stops after its time limit, says so, ends well, and the same command continues', async (t) => {
  const { seed, asked } = await chain(t, 40);
  const data = folder();
  const first = await crawl(seed, data, '--delay', '400ms', '--max-time', '2s');
  assert.equal(first.code, 0, first.stderr);
  assert.match(first.stderr, /Stopped by --max-time 2s, after/);
  assert.match(first.stderr, /resume: .*crawl --data/);
  assert.equal(lastJson(first)['end'], 'stopped');
  assert.equal(lastJson(first)['rule'], '--max-time 2s');
  const before = asked.length;
  assert.ok(before > 0 && before < 40, `${before} pages`);
  // Its time was of that run alone.
  const second = await crawl(seed, data, '--delay', '0');
  assert.equal(second.code, 0, second.stderr);
  assert.equal(lastJson(second)['end'], 'done');
  assert.equal(new Set(asked).size, 40);
  assert.equal(asked.length, 40, 'no page was asked for twice');
});

test('a run stops at its limit of received bytes', async (t) => {
  const { seed } = await chain(t, 400);
  const ended = await crawl(seed, folder(), '--delay', '20ms', '--max-bytes', '20k');
  assert.equal(ended.code, 0, ended.stderr);
  const { end, bytes, queued, rule } = lastJson(ended) as { end: string; bytes: number; queued: number; rule: string };
  assert.equal(end, 'stopped');
  assert.match(rule, /^--max-bytes: [\d,]+ of 20,000 bytes$/);
  assert.ok(bytes >= 20_000 && queued > 0, `${bytes} bytes, ${queued} queued`);
});

test('a run stops at a number or share of failed URLs, and not before the share is meaningful', async (t) => {
  const half = await chain(t, 400, (n) => n % 2 === 1);
  const counted = await crawl(half.seed, folder(), '--delay', '20ms', '--max-errors', '5');
  assert.match(`${lastJson(counted)['rule']}`, /^--max-errors 5: \d+ of \d+ URLs failed$/);
  const shared = await crawl(half.seed, folder(), '--delay', '5ms', '--max-errors', '40%');
  const [, settled] = /of (\d+) URLs failed$/.exec(`${lastJson(shared)['rule']}`) ?? [];
  assert.ok(Number(settled) >= 100, `${settled} settled`);
  const few = await chain(t, 11, (n) => n > 0);
  const done = await crawl(few.seed, folder(), '--delay', '0', '--max-errors', '40%');
  assert.equal(lastJson(done)['end'], 'done');
});

test('an invalid duration, size or number of errors is refused by name before anything is created', async () => {
  for (const [flag, value, remedy] of [
    ['--max-time', '5 minutes', /--max-time "?5 minutes.*36h/s],
    ['--max-bytes', '10 gigs', /--max-bytes.*10GiB/s],
    ['--max-bytes', '0', /--max-bytes.*at least 1/s],
    ['--max-errors', '0', /--max-errors.*20%/s],
    ['--max-errors', '100%', /--max-errors.*20%/s],
  ] as const) {
    const ended = await crawl('http://127.0.0.1:9/', folder(), flag, value);
    assert.equal(ended.code, 2, ended.stderr);
    assert.match(ended.stderr, remedy);
  }
});
