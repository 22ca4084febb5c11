/**
 * A pulled cable: the crawler is in a network namespace of its own, and its link loses its carrier for
 * CRAWLSTREAM_TEST_OUTAGE_MINUTES (1.5), longer than all retries last. The web is in another namespace, and records what arrives.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { runCommand, startCommand } from '../../lab/process/command.ts';
import { temporaryFolder } from '../services/runtime/store/temporary-folder.ts';
import { until } from '../services/until.ts';
import { layCable } from './cable.ts';

const minutes = Number(process.env['CRAWLSTREAM_TEST_OUTAGE_MINUTES'] ?? 1.5);
const hosts = 20;
const pages = 60;
const delayMs = 1_000;
const port = 8_080;
/** The defaults, for ten minutes. */
const retries = [5_000, 30_000, 300_000].map((ms) => `${Math.round((ms * minutes) / 10)}ms`).join(',');

interface Arrival {
  readonly atMs: number;
  readonly host: string;
}

test('a pulled cable costs no URL and no host, and requests begin within 10 s of its return', {
  timeout: minutes * 60_000 + 600_000,
}, async (t) => {
  const cable = layCable(hosts);
  if (typeof cable === 'string') return t.skip(cable);
  t.after(cable.remove);
  const { addresses } = cable;
  const inside = (zone: string) => ({ shellPrefix: `exec ip netns exec ${zone} "$@";`, patienceMs: 1_500_000 });
  const script = join(import.meta.dirname, 'sites.ts');
  const web = startCommand([`${port}`, `${pages}`, ...addresses], { ...inside(cable.far), script });
  t.after(() => web.child.kill('SIGKILL'));
  await until(() => web.output().includes('listening'));
  const arrivals = () =>
    web
      .output()
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as Arrival);

  const data = join(temporaryFolder(), 'crawl');
  const seeds = addresses.map((address) => `http://${address}:${port}/`);
  const args = [
    ...['crawl', ...seeds, '--allow-private', '--scope', 'host', '--delay', `${delayMs}ms`, '--address-delay', '0'],
    ...['--retries', retries, '--contact', 'me@example.org', '--data', data],
  ];
  const crawl = startCommand(args, inside(cable.near));
  t.after(() => crawl.child.kill('SIGKILL'));
  await until(() => arrivals().length > 5 * hosts, 180_000);
  cable.pull();
  const awayMs = Date.now();
  await sleep(minutes * 60_000);
  cable.plug();
  const backMs = Date.now();
  const { code, stderr } = await crawl.ended;
  assert.equal(code, 0, stderr);
  assert.match(stderr, /network seems to be away[^\n]*\n(?:.*\n)*.*network works again/);

  const all = arrivals();
  const soonest = Math.min(...all.filter(({ atMs }) => atMs >= backMs).map(({ atMs }) => atMs)) - backMs;
  const short = shortGaps(all);
  const listed = await runCommand(['pages', '--data', data]);
  const fetched = listed.stdout.split('\n').filter((line) => line.includes('http://')).length;
  const deadLetters = await runCommand(['dlq', 'list', '--data', data]);
  t.diagnostic(
    `${Math.round((backMs - awayMs) / 1_000)} s away: ${fetched} of ${hosts * (pages + 1)} pages, first request after ${soonest} ms, ` +
      `${short.length} short gaps of ${all.length} requests`,
  );
  assert.doesNotMatch(deadLetters.stdout, /http:/);
  assert.equal(fetched, hosts * (pages + 1));
  assert.ok(soonest <= 10_000, `the first request came ${soonest} ms after the return`);
  assert.deepEqual(short, []);
});

/** Contacts of one host that came sooner after the one before than its delay. */
function shortGaps(all: readonly Arrival[]): string[] {
  const lastMs = new Map<string, number>();
  const found: string[] = [];
  for (const { host, atMs } of all) {
    const gapMs = atMs - (lastMs.get(host) ?? Number.NEGATIVE_INFINITY);
    if (gapMs < delayMs) found.push(`${host}: ${gapMs} ms`);
    lastMs.set(host, atMs);
  }
  return found;
}
