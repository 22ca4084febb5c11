/** Caps on what a host and a domain may give, at a crawl of the synthetic web, and who says so. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { lastJson, runCommand } from '../../../../lab/process/command.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';
import { type SmallWeb, startSmallWeb } from '../small-web.ts';

async function run(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await runCommand(args);
  assert.equal(code, 0, `${args.join(' ')}: ${stderr}`);
  return stdout;
}

/** Pages that each host gave, in the order of the plan. */
function pagesByHost({ web, plan }: SmallWeb): number[] {
  const counts = plan.hosts.map(() => 0);
  for (const { host, path, status } of web.requests()) if (path !== '/robots.txt' && status === 200) counts[host]! += 1;
  return counts;
}

test('page caps of hosts and domains hold, are reported, and are lifted by the same command with others', async () => {
  const web = await startSmallWeb({ preset: 'plain', hosts: 4, pagesPerHost: 12, domains: 2, linksPerPage: 10 });
  const data = ['--data', join(temporaryFolder(), 'data')];
  const crawl = [...web.crawlArguments, ...data, '--delay', '0', '--partitions', '1'];
  const caps = ['--max-pages-per-host', '5', '--max-pages-per-domain', '8'];
  const reported = await run(...crawl, ...caps);
  assert.match(reported, /hosts at a limit +[2-9]\n/);
  const pages = pagesByHost(web);
  assert.deepEqual([pages[0]! + pages[2]!, pages[1]! + pages[3]!], [8, 8], 'hosts 0 and 2 are of one domain');
  assert.ok(Math.max(...pages) <= 5);
  const [full] = plan(web).filter((_, host) => pages[host] === 5);
  const [less] = plan(web).filter((_, host) => pages[host]! < 5);
  const explain = (host: string) => run('explain', `http://${host}:${web.port}/`, ...data);
  assert.match(await explain(full!), /it reached its limit, 5 of 5 pages: pagesPerHostMax of the policy/);
  assert.match(await explain(less!), /its domain reached its limit, 8 pages: pagesPerDomainMax of the policy/);

  const table = await run('hosts', '--sort', 'name', ...data);
  assert.match(table, new RegExp(`^${full}:.* none: limit reached, 5 of 5 pages$`, 'm'));
  assert.match(table, new RegExp(`^${less}:.* none: limit reached, of bytes or of its domain$`, 'm'));
  assert.match(await run('hosts', `${full}:${web.port}`, ...data), /^waits +it reached its limit, 5 of 5 pages/m);

  const result = lastJson(
    await runCommand([...crawl, '--max-pages-per-host', 'none', '--max-pages-per-domain', 'none', '--json']),
  );
  assert.deepEqual([result['deferred'], result['pages']], [0, 48]);
});

test('hosts with URLs that wait say that the crawl has its pages, instead of a time of their next contact', async () => {
  const web = await startSmallWeb({ preset: 'plain', hosts: 2, pagesPerHost: 12, domains: 1, linksPerPage: 10 });
  const data = ['--data', join(temporaryFolder(), 'data')];
  await run(...web.crawlArguments, ...data, '--delay', '0', '--max-pages', '6');
  const table = await run('hosts', ...data);
  assert.match(table, / none: page quota spent$/m);
  assert.match(table, /^no host is requested now: the crawl has its 6 pages \(--max-pages\)$/m);
  const [, waiting = ''] = /^(\S+) .*page quota spent$/m.exec(table) ?? [];
  const one = await run('hosts', waiting, ...data);
  assert.match(one, /^waits +the crawl has its 6 pages \(--max-pages\)$/m);
  assert.doesNotMatch(one, /^ready /m);
  const [, url = ''] = /^ +\d+ +\d+ {2}(http\S+)$/m.exec(one) ?? [];
  const explained = await run('explain', url, ...data);
  assert.match(explained, /^answer +queued, .* \(the crawl has its 6 pages \(--max-pages\)\)$/m);
  assert.match(explained, /^host +\S+: the crawl has its 6 pages/m);
});

test('a byte cap of a host ends its crawl within one lease', async () => {
  const web = await startSmallWeb({ preset: 'plain', hosts: 1, pagesPerHost: 60, domains: 1, linksPerPage: 10 });
  const data = ['--data', join(temporaryFolder(), 'data')];
  const capped = ['--max-bytes-per-host', '30k', '--delay', '0', '--json'];
  const result = lastJson(await runCommand([...web.crawlArguments, ...data, ...capped]));
  assert.ok((result['pages'] as number) < 60 && (result['deferred'] as number) > 0, JSON.stringify(result));
  assert.ok((result['bytes'] as number) >= 30_000);
  assert.match(
    await run('explain', web.seeds[0]!, ...data),
    /it reached its limit, \d+ of 30000 bytes: bytesPerHostMax of the policy/,
  );
});

function plan({ plan: { hosts } }: SmallWeb): readonly string[] {
  return hosts;
}
