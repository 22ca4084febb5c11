import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lastJson, runCommand } from '../../../../lab/process/command.ts';
import { embeddedCosts } from '../../../../services/planning/embedded-costs.ts';
import { type SizeInput, sizeDefaults, sizeOf } from '../../../../services/planning/size-model.ts';
import { CrawlstreamError } from '../../../../topology/errors.ts';

const input: SizeInput = { ...sizeDefaults, urls: 100e6, hosts: 1e6, rate: 500, delayMs: 1000 };

function refusal(change: Partial<SizeInput>): string {
  try {
    sizeOf({ ...input, ...change });
  } catch (error) {
    assert.ok(error instanceof CrawlstreamError && error.code === 'INVALID_ARGUMENT');
    return error.message;
  }
  throw new Error(`${JSON.stringify(change)} is not refused`);
}

test('the size model is within a quarter of measurements on an idle machine', () => {
  // README and `bench -- size`: ingest at 480,000 links a second and 24 B a queued URL; a crawl at 0.41 ms a page.
  const ingest = embeddedCosts({ urls: 1.5e6, pages: 0, links: 5e6, hosts: 100e3 });
  const crawl = embeddedCosts({ urls: 20e3, pages: 20e3, links: 250e3, hosts: 200 });
  const pairs: readonly (readonly [what: string, model: number, measured: number])[] = [
    ['ms of a million links', ingest.cpuMs / 5, 1e3 / 0.48],
    ['state of a queued URL', ingest.stateBytes / 1.5e6, 24.9],
    ['ms of a page', (crawl.startMs + crawl.cpuMs) / 20e3, 0.41],
    ['memory of the crawl', crawl.memoryBytes, 516e6],
    ['its disk', crawl.stateBytes + crawl.logBytes, 137e6],
    ['its pages', crawl.topicBytes.pages, 20e3 * 10_900],
    ['its links', crawl.topicBytes.discovered, 20e3 * 1_490],
    ['its changelog', crawl.topicBytes['frontier-changelog'], 20e3 * 188],
  ];
  for (const [what, model, measured] of pairs)
    assert.ok(Math.abs(model / measured - 1) < 0.25, `${what}: ${model} for ${measured}`);
});

test('an impossible goal is refused, with the nearest possible one', () => {
  assert.match(
    refusal({ hosts: 100 }),
    /--rate 500: 100 hosts with one page per 1000 ms each allow at most 100 pages\/s/,
  );
  assert.match(refusal({ hosts: 100 }), /use 500 hosts, or --delay 200ms/);
  assert.equal(sizeOf({ ...input, hosts: 500 }).rateMax, 500, 'what hosts can just give is possible');
  assert.equal(sizeOf({ ...input, hosts: 100, delayMs: 200 }).rateMax, 500);
  assert.equal(sizeOf({ ...input, hosts: 1, delayMs: 0 }).rateMax, Number.POSITIVE_INFINITY);
  assert.match(refusal({ urls: 1e6, hosts: 2e6 }), /--hosts 2000000: .*give 1000000 or fewer/);
  assert.match(refusal({ rate: 100e3 }), /--rate 100000: 120000 hosts at once .* use at most 83333 pages\/s/);
  assert.match(refusal({ urls: 2e12, hosts: 1e9 }), /--urls 2000000000000: .* split it into several crawls/);
});

test('more URLs, a higher rate and longer delays never need less', () => {
  const needs = (change: Partial<SizeInput>) => {
    const { frontiers, fetchers, brokers, partitions, hostsAtOnce } = sizeOf({ ...input, ...change });
    return [
      partitions,
      hostsAtOnce,
      ...[frontiers, fetchers].flatMap(({ cores, memoryBytes, diskBytes }) => [cores, memoryBytes, diskBytes]),
      ...[brokers.cores, brokers.inBytesPerSecond, brokers.outBytesPerSecond, brokers.diskBytes],
    ];
  };
  const steps: readonly Partial<SizeInput>[][] = [
    [1e6, 30e6, 60e6, 1e9, 100e9].map((urls) => ({ urls })),
    [1, 50, 500, 5_000, 50_000].map((rate) => ({ rate, urls: 1e12 })),
    [0, 100, 1_000, 60_000].map((delayMs) => ({ delayMs })),
    [1, 12, 100].map((linksPerPage) => ({ linksPerPage })),
  ];
  for (const way of steps) {
    for (const [index, change] of way.slice(1).entries()) {
      const [less, more] = [needs(way[index]!), needs(change)];
      for (const [at, one] of less.entries()) assert.ok(more[at]! >= one, `${JSON.stringify(change)}: need ${at}`);
    }
  }
});

test('a partition never exceeds its capacity, and processes share partitions', () => {
  for (const urls of [1e6, 800e6, 801e6, 10e9, 1e12]) {
    const { partitions, urlsPerPartition, frontiers } = sizeOf({ ...input, urls });
    assert.ok(partitions >= 8 && partitions <= 1024);
    assert.ok(urlsPerPartition <= (urls > 102.4e9 ? 1e9 : 100e6));
    assert.ok(frontiers.processes <= partitions);
  }
});

test('plan size accepts sizes as people write them, and prints them for people and programs', async () => {
  const args = ['size', '--urls', '100M', '--hosts', '1M', '--rate', '500', '--delay', '1000ms'];
  const reported = await runCommand(args);
  assert.equal(reported.code, 0, reported.stderr);
  assert.match(reported.stdout, /^100 M URLs on 1 M hosts, 500 pages\/s/);
  assert.match(reported.stdout, /partitions +8, 12\.5 M URLs each/);
  const json = lastJson(await runCommand([...args, '--json']));
  assert.deepEqual(json['wish'], input);
  assert.deepEqual(json['frontiers'], JSON.parse(JSON.stringify(sizeOf(input).frontiers)));
  const refused = await runCommand([...args.slice(0, -3), '500', '--delay', '1000ms', '--hosts', '10']);
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /use 500 hosts/);
});
