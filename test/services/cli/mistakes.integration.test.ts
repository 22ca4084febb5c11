/**
 * The mistakes that people make first: each is told in a line or two that name cause and remedy, ends with the right code,
 * and damages nothing. More of them: bad-input, targets and seeds.
 */
import assert from 'node:assert/strict';
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { lastJson, runCommand } from '../../../lab/process/command.ts';
import { serveSite } from '../fetcher/loopback.ts';
import { temporaryFolder } from '../runtime/store/temporary-folder.ts';
import { startSmallWeb } from './small-web.ts';

const cwd = temporaryFolder();
const data = join(cwd, 'crawl-data', 'site');
let digest: unknown;
let host = '';
let port = 0;

const digestOf = async () =>
  (lastJson(await runCommand(['state', 'digest', '--data', data, '--json']))['partitions'] as { digest: string }[])[0];

before(async () => {
  const small = await startSmallWeb({ hosts: 1, pagesPerHost: 4, domains: 1 });
  host = new URL(small.seeds[0]!).host;
  port = small.port;
  const ended = await runCommand([...small.crawlArguments, '--delay', '0', '--data', data]);
  assert.equal(ended.code, 0, ended.stderr);
  digest = await digestOf();
  await writeFile(join(cwd, 'broken.yaml'), 'delayMs: [\n');
  await writeFile(join(cwd, 'wrong.yaml'), 'delyMs: 5\n');
  await writeFile(join(cwd, 'empty.txt'), '# nothing\n');
  await writeFile(join(cwd, 'urls.txt'), '# mine\nhttps://example.org/\n');
  await writeFile(join(cwd, 'page.html'), '<p>https://example.org/</p>\n');
});

/** What is wrong with how a mistake is told; null: nothing. Two lines are the most that a person reads. */
async function misreported(words: readonly string[], code: number, says: RegExp): Promise<string | null> {
  const ended = await runCommand(words, { cwd });
  const isReported = says.test(ended.stderr) && ended.stderr.trimEnd().split('\n').length <= 2;
  const isBug = /\n {4}at |a bug, please/.test(ended.stderr);
  return ended.code === code && isReported && !isBug ? null : `${words.join(' ')}: ${ended.code}, ${ended.stderr}`;
}

test('a misspelt, missing or misplaced argument is reported with its cause and remedy', async () => {
  const cases: readonly (readonly [words: readonly string[], code: number, says: RegExp])[] = [
    [['crwal', 'https://example.org'], 2, /unknown command 'crwal'[\s\S]*crawl/],
    [['crawl', '--max-page', '5'], 2, /unknown option '--max-page'[\s\S]*--max-pages/],
    [['crawl', 'example.org'], 2, /--contact is missing: give a web or mail address/],
    [['crawl', 'seeds.txt'], 2, /there is no such file/],
    [['crawl', '.'], 2, /seed "\.": it is a folder; give a URL, or a file with one URL per line/],
    [['crawl', './seeds'], 2, /seed "\.\/seeds": there is no such file; give a URL, or/],
    [
      ['crawl', 'http://127.0.0.1:8080/', '--data', ''],
      2,
      /--data "": the folder name is empty: name a folder; is a shell variable unset\?/,
    ],
    [['crawl', '--data', data, '--partitions', '4'], 1, /was made with partitions 1, not 4/],
    [['crawl', '--data', data, '--crawl', 'other'], 1, /belongs to crawl "crawl", not "other"/],
    [['crawl', 'empty.txt'], 2, /empty\.txt: it has no seeds; write one URL per line/],
    [['crawl', '--data', join(cwd, 'nowhere')], 2, /nowhere does not exist: name the data folder of a crawl, or/],
    [
      ['crawl', 'http://127.0.0.1:9999/', '--data', data],
      1,
      /contains the crawl of http:\S+ add that seed, or choose another --data/,
    ],
    [['pages'], 2, /--data is missing: name the data folder of the crawl, such as crawl-data\/site, or its --brokers/],
    [['pages', '--data', 'crawl-data'], 2, /holds no crawl: did you mean \S+crawl-data\/site\?/],
    [['pages', '--data', 'crawl-data/sites'], 2, /does not exist: did you mean \S+crawl-data\/site\?/],
    [['pages', '--fields', 'url,titel', '--data', data], 2, /--fields "url,titel": use some of url,/],
    [['stats', '--brokers', 'localhost', '--crawl', 'x'], 2, /--brokers "localhost": give host:port/],
    [['stats', '--brokers', '127.0.0.1:9'], 1, /127\.0\.0\.1:9/],
    [['explain', 'mailto:me@example.org', '--data', data], 0, /^$/],
    [['delay', host, 'long', '--data', data], 2, /give a number and ms, s, m, h or d/],
    [['purge', 'h0.site0.test', '--data', data], 1, /nothing was done/],
    [['limit', 'other.test', '5', '--data', data], 1, /no URL of host other\.test: nothing was done/],
    [['policy', 'set', 'broken.yaml', '--data', data], 2, /policy set broken\.yaml: /],
    [['policy', 'set', 'wrong.yaml', '--data', data], 2, /policy\.delyMs: .*policy show prints all fields/],
    [['policy', 'set', 'none.yaml', '--data', data], 2, /policy set none\.yaml: there is no such file/],
    [['policy', 'rollback', '5', '--data', data], 2, /give a version listed by `crawlstream policy history`/],
    [['export', 'pages', '--format', 'parquet', '--data', data], 2, /--out/],
    [
      ['load', 'urls.txt', '--data', 'new'],
      2,
      /urls\.txt is a list of URLs, not a dump: .*inject urls\.txt; .*--seen urls\.txt/,
    ],
    [['load', 'page.html', '--data', 'new'], 1, /line 1 of the dump: it is not JSON/],
    [
      ['state', 'rebuild', '--all', '--into', 'urls.txt', '--data', data],
      2,
      /--into \S+urls\.txt is not a folder: choose another --into/,
    ],
    [['state', 'rebuild', '--all', '--into', '.', '--data', data], 1, /choose an empty or new folder for --into/],
    [['search', 'words', '--data', data], 2, /index/],
    [['frontier', '--data', 'x'], 2, /--brokers is missing/],
    [['fetch', `http://127.0.0.1:${port}/`], 1, /^$/],
  ];
  const problems: string[] = [];
  for (const [words, code, says] of cases)
    problems.push(...[await misreported(words, code, says)].filter((one) => one !== null));
  assert.deepEqual(problems, []);
  assert.deepEqual(
    readdirSync(cwd).sort(),
    ['broken.yaml', 'crawl-data', 'empty.txt', 'page.html', 'urls.txt', 'wrong.yaml'],
    'nothing is made',
  );
  assert.equal(existsSync(join(cwd, 'nowhere')), false);
  assert.deepEqual(await digestOf(), digest, 'nothing is damaged');
});

/** Root may write everywhere, until it gives that up. */
const asOthers = process.getuid?.() === 0 && 'set -- setpriv --bounding-set=-dac_override,-dac_read_search "$@";';
const mayLock = process.platform === 'linux' || asOthers === false;

test('an unwritable or missing path is named and is no bug', {
  skip: !mayLock && 'needs setpriv',
}, async () => {
  const folder = temporaryFolder();
  const shut = join(folder, 'shut');
  cpSync(data, join(shut, 'data'), { recursive: true });
  mkdirSync(join(folder, 'there'));
  for (const name of readdirSync(shut, { recursive: true }) as string[]) chmodSync(join(shut, name), 0o555);
  chmodSync(shut, 0o555);
  const place = join(shut, 'data');
  const may = /shut\S* (?:cannot|may not) be (?:read |written |changed )/;
  const cases: readonly (readonly [words: readonly string[], code: number, says: RegExp])[] = [
    [['crawl', '--data', place], 1, may],
    [['crawl', 'http://127.0.0.1:8/', '--data', join(shut, 'new')], 2, may],
    [['block', host, '--data', place], 1, may],
    [['pause', '--data', place], 1, may],
    ...['jsonl', 'csv', 'parquet'].flatMap((format) => {
      const out = (name: string) => ['export', 'pages', '--format', format, '--data', data, '--out', name];
      return [
        [out(join(shut, 'x')), 2, /shut\/x can't be written: EACCES/] as const,
        [out(join(folder, 'there')), 2, /there can't be written: it is a folder; choose another file/] as const,
      ];
    }),
    [['dump', join(shut, 'x.gz'), '--data', data], 2, /shut\/x\.gz can't be written: EACCES/],
    [['dump', join(folder, 'there'), '--data', data], 2, /there can't be written: it is a folder; choose another file/],
    [['state', 'snapshot', '--data', data, '--to', join(shut, 'x')], 1, /shut\S* can't be used: EACCES|cannot be/],
    [['config', 'init', join(shut, 'x.yaml')], 1, may],
    [['new', join(shut, 'x')], 1, may],
    [['stats', '--data', place], 0, /^$/],
  ];
  const problems: string[] = [];
  for (const [words, code, says] of cases) {
    const ended = await runCommand(words, { cwd: folder, ...(asOthers !== false && { shellPrefix: asOthers }) });
    const isReported = says.test(ended.stderr) && ended.stderr.trimEnd().split('\n').length <= 2;
    const isBug = /\n {4}at |a bug, please/.test(ended.stderr);
    if (ended.code !== code || !isReported || isBug)
      problems.push(`${words.join(' ')}: ${ended.code}, ${ended.stderr}`);
  }
  assert.deepEqual(problems, []);
  assert.deepEqual(readdirSync(join(folder, 'there')), []);
  assert.deepEqual(readdirSync(folder).sort(), ['shut', 'there'], 'nothing is left behind');
});

test('inject refuses options of the policy for a data folder, whose crawl has its policy', async () => {
  const problems: (string | null)[] = [];
  for (const given of [['--exclude', 'x'], ['--delay', '1s'], ['--no-traps'], ['--new-policy']]) {
    const says = new RegExp(
      `${given[0]} changes no policy with --data: give it to crawlstream crawl, or use .*policy set`,
    );
    problems.push(await misreported(['inject', `http://${host}/`, '--data', data, ...given], 2, says));
  }
  assert.deepEqual(
    problems.filter((one) => one !== null),
    [],
  );
  assert.deepEqual(await digestOf(), digest);
});

test('a URL without a scheme is the one that the crawl knows, even with http, in explain and story', async () => {
  for (const name of ['explain', 'story']) {
    const { stdout, stderr, code } = await runCommand([name, `${host}/`, '--data', data]);
    assert.equal(code, 0, stderr);
    assert.match(stdout, new RegExp(`^URL +http://${host}/$`, 'm'));
    assert.doesNotMatch(stdout, /never|no record of this URL/);
  }
  const unknown = await runCommand(['explain', `${host}/nowhere`, '--data', data]);
  assert.match(unknown.stdout, new RegExp(`^URL +https://${host}/nowhere$`, 'm'));
});

test('a fetch of a private address by hand names the option that allows it', async () => {
  for (const words of [['fetch'], ['check', 'robots']]) {
    const { stdout } = await runCommand([...words, `http://127.0.0.1:${port}/`]);
    assert.match(stdout, /127\.0\.0\.1, which is not public; add --allow-private/, words.join(' '));
    if (words[0] === 'check') assert.match(stdout, /^verdict +not known: robots\.txt cannot be reached/m);
  }
});

test('finding failed pages and their reasons takes three commands, each named by the previous one', async (t) => {
  const site = await serveSite(t, (request, response) => {
    if (request.url === '/robots.txt') return response.writeHead(404).end();
    if (request.url === '/broken') return response.writeHead(500).end();
    response.setHeader('content-type', 'text/html');
    return response.end('<a href="/broken">broken</a>');
  });
  const folder = temporaryFolder();
  const url = `http://127.0.0.1:${site.port}`;
  const crawl = ['crawl', `${url}/`, '--allow-private', '--delay', '0', '--retries', 'none', '--data', 'data'];
  const first = await runCommand(crawl, { cwd: folder });
  assert.equal(first.code, 0, first.stderr);
  const named = (text: string, name: string) =>
    new RegExp(`^ {2}${name}: +node \\S+\\.js (.*)$`, 'm').exec(text)?.[1]?.split(' ') ?? assert.fail(text);
  const failed = await runCommand(named(first.stdout, 'failed'), { cwd: folder });
  assert.match(failed.stdout, new RegExp(`^serverError {2}${url}/broken {2}the server answered 500$`, 'm'));
  const stats = await runCommand(['stats', '--data', 'data'], { cwd: folder });
  assert.match(stats.stdout, /\d+ URLs? without a page, with reasons: node \S+ pages --failed --data data$/m);
  const why = named(first.stdout, 'why').map((word) => (word === 'URL' ? `${url}/broken` : word));
  const explained = await runCommand(why, { cwd: folder });
  assert.match(explained.stdout, /^outcomes +\S+ (failed|dead) \(serverError 500\)/m);
  assert.match(explained.stdout, new RegExp(`from ${url}/`));
});
