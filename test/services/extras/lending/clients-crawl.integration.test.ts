/** Clients lease a crawl's URLs by HTTP: over real sockets, against the running command, judged by the servers. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { LeaseClient } from '../../../../clients/typescript/lease-client.ts';
import { runCommand, startCommand } from '../../../../lab/process/command.ts';
import { listening, untilReady } from '../../cli/listening.ts';
import { assertFlawless, printedPages, startSmallWeb } from '../../cli/small-web.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';
import { fetcherOf } from './fetcher-of.ts';

for (const [how, presets] of [
  ['only', 'the clients fetch every page'],
  ['beside', 'clients and our own fetcher share one web'],
] as const) {
  test(`two clients lease at once: ${presets}, each URL once, and no host is contacted before its delay`, async () => {
    const delayMs = 60;
    const small = await startSmallWeb({ preset: 'plain', hosts: 6, pagesPerHost: 12, domains: 3, seed: 5 });
    const data = join(temporaryFolder(), 'data');
    const flags = ['--delay', `${delayMs}ms`, '--clients', how, '--http', '0', '--data', data];
    const crawl = startCommand([...small.crawlArguments, ...flags]);
    const base = await listening(crawl);
    await untilReady(base);
    const fetched = [new Set<string>(), new Set<string>()];
    const fetchUrl = fetcherOf(small.port);
    await Promise.all(
      fetched.map((urls) =>
        new LeaseClient(base).work(
          async (leased) => {
            assert.ok(!urls.has(leased.url));
            urls.add(leased.url);
            return fetchUrl(leased);
          },
          { concurrency: 3 },
        ),
      ),
    );
    crawl.child.kill('SIGINT');
    const { code, stderr } = await crawl.ended;
    assert.equal(code, 130, stderr);
    assertFlawless(small.check({ delayMs }));
    const [first, second] = fetched.map((urls) => urls.size);
    assert.ok(first! > 0 && second! > 0, `${first} and ${second}`);
    const pages = await printedPages(data);
    assert.equal(new Set(pages).size, pages.length);
    if (how === 'only') assert.equal(first! + second!, pages.length);
    else assert.ok(first! + second! <= pages.length);
    const audit = await runCommand(['audit', '--data', data]);
    assert.equal(audit.code, 0, audit.stdout + audit.stderr);
  });
}
