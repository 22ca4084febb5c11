/** Each example as a user would run it: in a project of its own, against the package as npm would publish it. */
import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { before, describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freePorts } from '../../lab/kafka/daemon.ts';
import { type Answer, serveSite } from '../services/fetcher/loopback.ts';
import { temporaryFolder } from '../services/runtime/store/temporary-folder.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

const calendar = `BEGIN:VCALENDAR\r\nX-WR-CALNAME:Club nights\r\nBEGIN:VEVENT\r\nDTSTART:20260131T190000Z\r\nSUMMARY:Chess in the\r\n  old library\r\nURL:/chess\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n`;

const site: Answer = (request, response, host) => {
  const port = (request.socket.localPort ?? 0).toString();
  if (request.url === '/robots.txt') return response.writeHead(404).end();
  if (request.url === '/club') return response.setHeader('content-type', 'text/calendar').end(calendar);
  response.setHeader('content-type', 'text/html');
  if (request.url === '/untitled') return response.end('<p>A page that has no title.</p>');
  if (request.url !== '/')
    return response.end(`<title>${host}${request.url}</title><p>${'One word. '.repeat(500)}</p>`);
  const links = ['/club', '/untitled', `http://ads.blocked.test:${port}/x`, `http://fine.test:${port}/y`];
  return response.end(`<title>front</title>${links.map((link) => `<a href="${link}">to</a>`).join(' ')}`);
};

describe('the examples, in a project that installs the package', { timeout: 600_000 }, () => {
  const folder = temporaryFolder();
  const run = (file: string, ...args: string[]) => execFileSync(file, args, { cwd: folder, encoding: 'utf8' });

  before(async () => {
    const packed = execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], {
      cwd: root,
      encoding: 'utf8',
    });
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'guest', private: true, type: 'module' }));
    const [{ filename }] = JSON.parse(packed);
    // Native parts come built, as they do for a user.
    run('npm', 'install', '--prefer-offline', '--no-audit', '--no-fund', join(folder, filename), 'libsql@0.5');
    await cp(join(folder, 'node_modules/crawlstream/examples'), folder, { recursive: true });
  });

  /** What it printed. */
  async function crawlstream(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
    const main = join(folder, 'node_modules/crawlstream/dist/services/cli/main.js');
    // Rejects where it fails, with all that it printed.
    return promisify(execFile)(process.execPath, [main, ...args], { cwd: folder, env: { ...process.env, ...env } });
  }

  async function crawled(t: TestContext, name: string, plugin: readonly string[], env: NodeJS.ProcessEnv = {}) {
    const { port, hits } = await serveSite(t, site);
    const data = join(folder, name);
    const seed = `http://front.test:${port}/`;
    const reach = ['--resolve', `*.test:${port}:127.0.0.1`, '--scope', 'all', '--delay', '0'];
    await crawlstream(['crawl', seed, ...reach, '--data', data, ...plugin], env);
    const { stdout } = await crawlstream(['pages', '--data', data, '--all']);
    const lines = stdout.split('\n').filter((line) => line !== '');
    const pages = lines.map((line) => JSON.parse(line) as Readonly<Record<string, string>>);
    return { pages, hits, data, port };
  }

  it('filter-by-list.mjs keeps a crawl off the hosts in a file, and the control log names the code', async (t) => {
    writeFileSync(join(folder, 'blocked.txt'), '# advertising\nBlocked.test\n');
    const env = { BLOCKLIST: join(folder, 'blocked.txt') };
    const { hits, data, port } = await crawled(t, 'filtered', ['--plugin', 'filter-by-list.mjs'], env);
    const hosts = new Set(hits.map(({ host }) => host));
    assert.deepEqual([...hosts].toSorted(), ['fine.test', 'front.test']);
    const front = `http://front.test:${port}/`;
    const timeline = await crawlstream(['story', front, '--data', data]);
    assert.match(timeline.stdout, /plugin filter-by-list left out 1 link/);
    const explained = await crawlstream(['explain', front, '--data', data]);
    assert.match(explained.stdout, /filter-by-list 1\.0\.0, sha256 [0-9a-f]{12}/);
  });

  it('calendar-parser.mjs makes pages of iCalendar files', async (t) => {
    const { pages, hits } = await crawled(t, 'calendars', ['--plugin', 'calendar-parser.mjs']);
    const club = pages.find(({ url }) => url!.endsWith('/club'))!;
    assert.deepEqual([club['title'], club['text']], ['Club nights', 'Chess in the old library']);
    assert.deepEqual(
      (club['fields'] as unknown as { name: string; values: string[] }[]).map(({ name, values }) => [name, values]),
      [['starts', ['20260131T190000Z']]],
    );
    assert.ok(hits.some(({ path }) => path === '/chess'));
  });

  it('reading-time.mjs enriches pages', async (t) => {
    const { pages } = await crawled(t, 'timed', ['--plugin', 'reading-time.mjs']);
    assert.match(pages.find(({ url }) => url!.endsWith('/y'))!['description']!, /\(4 min\)$/);
  });

  it('to-sqlite.mjs stores pages beside a crawl, or after it; a page that its table refuses is a dead letter', async (t) => {
    const { data } = await crawled(t, 'kept', ['--plugin', 'to-sqlite.mjs', '--set', 'to-sqlite.file=mine.db']);
    const { default: Database } = await import('libsql');
    const rows = (file: string) => {
      const database = new Database(file, { readonly: true });
      try {
        return database.prepare('SELECT url, title FROM pages ORDER BY url').all() as { readonly title: string }[];
      } finally {
        database.close();
      }
    };
    const beside = rows(join(data, 'plugins/to-sqlite/mine.db'));
    assert.deepEqual(
      beside.map(({ title }) => title).filter((title) => title === 'front' || title.startsWith('fine.test')),
      ['fine.test/y', 'front'],
    );
    const deadLetters = await crawlstream(['dlq', 'list', '--data', data, '--json']);
    assert.match(deadLetters.stdout, /untitled/);

    await crawlstream(['consume', '--plugin', 'to-sqlite.mjs', '--data', data, '--from-start']);
    assert.deepEqual(rows(join(data, 'plugins/to-sqlite/pages.db')), beside);
  });

  it('extension.mjs adds an option, a command, an endpoint and a consumer, which receipts of forget name', async (t) => {
    const [port] = await freePorts(1);
    // The crawl goes on until its endpoint has been called.
    let called: () => void = () => {};
    const calling = new Promise<void>((resolve) => (called = resolve));
    const { port: web } = await serveSite(t, async (request, response, host) => {
      if (request.url === '/last') await calling;
      if (request.url !== '/') return site(request, response, host);
      response.setHeader('content-type', 'text/html');
      response.end('<title>front page</title><a href="/one">one</a><a href="/last">last</a>');
    });
    const front = `http://front.test:${web}/`;
    const data = join(folder, 'extended');
    const plugin = ['--plugin', 'extension.mjs'];
    const reach = ['--resolve', `*.test:${web}:127.0.0.1`, '--delay', '0'];
    const more = [...plugin, '--set', 'titles.longest=8', '--http', `${port}`];
    const crawling = crawlstream(['crawl', front, ...reach, '--data', data, ...more]);
    const titles = async (query = '') => {
      const response = await fetch(`http://127.0.0.1:${port}/titles${query}`).catch(() => undefined);
      return response?.status === 200 ? ((await response.json()) as { titles: Record<string, string> }).titles : {};
    };
    while ((await titles())[front] === undefined) await sleep(50);
    assert.deepEqual(await titles('?with=page'), {});
    assert.deepEqual(await titles('?with=pa'), { [front]: 'front pa' });
    called();
    await crawling;

    const printed = async () => (await crawlstream(['titles', ...plugin, '--data', data])).stdout;
    assert.equal((await printed()).split('\n').length, 4);
    const help = await crawlstream(['--help', ...plugin]);
    assert.match(help.stdout, /Ask a crawl:[\s\S]*titles \[options\] +print the titles of pages/);
    const env = { CRAWLSTREAM_PLUGIN: 'extension.mjs' };
    assert.match((await crawlstream(['titles', '--data', data], env)).stdout, /front pa/);
    const lines = join(data, 'plugins/titles/titles.jsonl');
    appendFileSync(lines, '\n{"url":"http://cut.test/","ti');
    assert.equal((await printed()).split('\n').length, 4);

    await crawlstream(['purge', front, '--data', data]);
    const receipt = async () => JSON.parse((await crawlstream(['forget', '--json', '--data', data])).stdout);
    const named = (places: readonly { readonly place: string }[]) => places.filter(({ place }) => /titles/.test(place));
    const behind = await receipt();
    assert.deepEqual([named(behind.places).length, named(behind.notReached).length], [0, 1], JSON.stringify(behind));
    await crawlstream(['consume', ...plugin, '--data', data]);
    const followed = await receipt();
    assert.deepEqual(
      [named(followed.places).length, named(followed.notReached).length],
      [1, 0],
      JSON.stringify(followed),
    );
    const left = await printed();
    assert.ok(!left.includes('front pa') && left.split('\n').length === 3, left);
  });

  it('extension.mjs adds a field to the policy: its flag, policy set and its consumer follow the declaration', async (t) => {
    const { port: web } = await serveSite(t, (request, response) => {
      response.setHeader('content-type', 'text/html');
      response.end(request.url === '/' ? '<title>front</title><a href="/one">one</a>' : '<title>another page</title>');
    });
    const data = join(folder, 'fields');
    const plugin = ['--plugin', 'extension.mjs'];
    const crawl = (...more: string[]) => {
      const reach = ['--resolve', `*.test:${web}:127.0.0.1`, '--delay', '0'];
      return crawlstream(['crawl', `http://front.test:${web}/`, ...reach, '--data', data, ...plugin, ...more]);
    };
    const shown = async () => {
      const { stdout } = await crawlstream(['policy', 'show', '--json', '--data', data]);
      return JSON.parse(stdout).extras;
    };
    const set = (shortest: number, ...more: string[]) => {
      writeFileSync(join(folder, 'fields.yaml'), `extras: { titles: { shortest: ${shortest} } }`);
      return crawlstream(['policy', 'set', 'fields.yaml', '--data', data, ...more]);
    };
    const titles = async () => {
      const { stdout } = await crawlstream(['titles', ...plugin, '--data', data]);
      return stdout
        .trim()
        .split('\n')
        .map((line) => line.split('\t')[1])
        .toSorted();
    };
    const help = await crawlstream(['crawl', '--help', 'all', ...plugin]);
    assert.match(help.stdout, /--shortest-title <n> +keep titles of at least n characters/);
    await assert.rejects(crawl('--shortest-title', '2000'), /--shortest-title[\s\S]*from 0 to 1000/);
    await crawl('--shortest-title', '6');
    assert.deepEqual(await titles(), ['another page']);
    assert.deepEqual(await shown(), { titles: { shortest: 6 } });

    await crawl();
    assert.deepEqual(await shown(), { titles: { shortest: 6 } }, 'an option that is left out changes nothing');
    await assert.rejects(set(5000, ...plugin), /policy\.extras\.titles\.shortest: [\s\S]*1000/);
    const unchecked = await set(7);
    assert.match(unchecked.stderr, /policy\.extras\.titles: not checked/);
    const checked = await set(5, ...plugin);
    assert.equal(checked.stderr, '');
    await crawlstream(['consume', ...plugin, '--data', data, '--from-start']);
    assert.deepEqual(await titles(), ['another page', 'front']);
    await set(6, ...plugin);
    await crawlstream(['consume', ...plugin, '--data', data, '--from-start']);
    assert.deepEqual(await titles(), ['another page'], 'a title that is too short now is taken back');
  });

  it('twenty-lines.ts crawls from TypeScript, and its types hold', async (t) => {
    const { port } = await serveSite(t, site);
    const options = {
      ...{ strict: true, skipLibCheck: true, noEmit: true, types: ['node'] },
      ...{
        target: 'ES2023',
        module: 'NodeNext',
        moduleResolution: 'NodeNext',
        typeRoots: [join(root, 'node_modules/@types')],
      },
    };
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions: options, files: ['twenty-lines.ts'] }),
    );
    run(process.execPath, join(root, 'node_modules/typescript/bin/tsc'), '-p', '.');
    // Node reads TypeScript by itself from 22.18 on; before, tsx does.
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--import', import.meta.resolve('tsx'), 'twenty-lines.ts', `http://localhost:${port}/`],
      { cwd: folder },
    );
    assert.match(stdout, /^front\t/m);
    assert.match(stdout, /^\d pages$/m);
  });

  it('every example has a line in their README', () => {
    const readme = readFileSync(join(root, 'examples/README.md'), 'utf8');
    for (const file of run('ls')
      .split('\n')
      .filter((name) => /\.m?[jt]s$/.test(name)))
      assert.ok(readme.includes(`](${file})`), file);
  });
});
