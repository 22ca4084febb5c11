/** Mistakes of the command line and of files that it names: what was meant is said with what is wrong. */
import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { lastJson, runCommand, startCommand } from '../../../lab/process/command.ts';
import { temporaryFolder } from '../runtime/store/temporary-folder.ts';
import { startSmallWeb } from './small-web.ts';

const cwd = temporaryFolder();
const data = join(cwd, 'crawl-data', 'site');
const seed = 'http://127.0.0.1:8080/';

before(async () => {
  const small = await startSmallWeb({ hosts: 1, pagesPerHost: 3, domains: 1 });
  const ended = await runCommand([...small.crawlArguments, '--delay', '2ms', '--max-pages', '1', '--data', data]);
  assert.equal(ended.code, 0, ended.stderr);
  assert.match(ended.stderr, /^ {2}delay {5}2ms \(milliseconds: 2s are seconds\) between requests to a host/m);
  assert.match(ended.stderr, /^ {2}limits {4}1 page$/m);
  writeFileSync(join(cwd, 'tab.yaml'), '\tmaxDepth: 3\n');
  writeFileSync(join(cwd, 'proxy.yaml'), '- hosts: ["*"]\n  proxies: ["127.0.0.1:9"]\n');
  writeFileSync(join(cwd, 'utf16.txt'), '\uFEFFhttps://example.org/\r\n', 'utf16le');
  writeFileSync(join(cwd, 'utf16be.txt'), Buffer.from('\uFEFFhttps://example.org/\r\n', 'utf16le').swap16());
});

test('a wrong order, name or form gets a suggestion, and nothing is created', async () => {
  const cases: readonly (readonly [words: readonly string[], says: RegExp])[] = [
    [
      ['--data', data, 'crawl', seed],
      /unknown option '--data'; put options after the command: crawlstream crawl … --data$/,
    ],
    [['pages', 'crawl-data/site'], /too many arguments .*; did you mean --data crawl-data\/site\?$/],
    [['export', 'pages', 'pages.csv'], /too many arguments .*; crawlstream export --help lists its options$/],
    [['stats', seed], /too many arguments .*; crawlstream stats --help lists its options$/],
    [['explain', '--data', data], /missing required argument 'url'; as in: crawlstream explain https:\S+ --data \S+$/],
    [['stop', '--data', data], /unknown command 'stop'; to stop a crawl, press Ctrl-C; to hold it: pause and resume$/],
    [['crawl', seed, '--max-pages', '1e3'], /--max-pages "1e3": .*, only digits, as in 10000, or none$/],
    [['crawl', seed, '--max-pages', '10k'], /--max-pages "10k": .*, only digits, as in 10000, or none$/],
    [['crawl', seed, '--max-body', '5M'], /--max-body "5M": give a whole number from 1 to 64, only digits, as in 64$/],
    [['policy', 'set', 'tab.yaml', '--data', data], /policy set tab\.yaml: Tabs are not allowed .* line 1, column 1$/],
    [['pages', '--data', join(data, 'log')], /holds no crawl: did you mean \S+crawl-data\/site\?$/],
    [['crawl', seed, '--requests', 'none.yaml'], /--requests none\.yaml: there is no such file$/],
    [['crawl', seed, '--requests', 'proxy.yaml'], /\[0\]\.proxies\[0\]: write a proxy as its URL, .*write http:\/\//],
    // Understood, and public.
    [['crawl', 'utf16.txt'], /--contact is missing/],
    [['crawl', 'utf16be.txt'], /--contact is missing/],
  ];
  const files = readdirSync(cwd);
  const problems: string[] = [];
  for (const [words, says] of cases) {
    const { code, stderr } = await runCommand(words, { cwd });
    if (code !== 2 || !says.test(stderr.trimEnd())) problems.push(`${words.join(' ')}: ${code}, ${stderr}`);
  }
  assert.deepEqual(problems, []);
  assert.deepEqual(readdirSync(cwd), files);
});

test('a crawl whose only proxy is down says so, keeps its queue, and continues with another proxy', async () => {
  const small = await startSmallWeb({ hosts: 1, pagesPerHost: 3, domains: 1 });
  const place = join(temporaryFolder(), 'data');
  writeFileSync(join(cwd, 'down.yaml'), '- hosts: ["*"]\n  proxies: ["http://127.0.0.1:9"]\n');
  writeFileSync(join(cwd, 'straight.yaml'), '[]\n');
  const crawl = [...small.crawlArguments, '--delay', '0', '--data', place, '--json'];
  const running = startCommand([...crawl, '--requests', 'down.yaml'], { cwd });
  const says = /proxy http:\/\/127\.0\.0\.1:9: .*ECONNREFUSED.*: no proxy is left, so its hosts are not fetched/g;
  for (let n = 0; n < 300 && !says.test(running.output()); n++) await sleep(100);
  running.child.kill('SIGINT');
  const stopped = await running.ended;
  assert.equal(stopped.stderr.match(says)?.length, 1, stopped.stderr);
  assert.equal(stopped.code, 130);
  const done = await runCommand([...crawl, '--requests', 'straight.yaml'], { cwd });
  assert.equal(done.code, 0, done.stderr);
  assert.equal(lastJson(done)['dead'] ?? 0, 0);
  assert.ok(small.check({ delayMs: 0 }).fetched > 0);
});
