/**
 * Each optional path of the program, once, from the packed package: its bundle, unpacked beside the packages of this
 * repository. A package that the bundle imports in a form that it does not have works from the sources, and fails here.
 */
import assert from 'node:assert/strict';
import { execFile, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { before, describe, it, type TestContext } from 'node:test';
import { compress, init } from '@bokuweb/zstd-wasm';
import { PDFDocument, StandardFonts } from 'pdf-lib';
import { chromiumHere, noBrowser } from '../browser/chromium.ts';
import { root } from '../run/files.ts';
import { documentOf, officeTypes, zipOf } from '../services/extras/office/office-files.ts';
import { serveSite } from '../services/fetcher/loopback.ts';
import { serveSocks5 } from '../services/fetcher/proxy-servers.ts';
import { temporaryFolder } from '../services/runtime/store/temporary-folder.ts';

interface Ended {
  readonly stdout: string;
  readonly stderr: string;
}

interface Page {
  readonly url: string;
  readonly title: string;
  readonly text: string;
}

describe('the packed package, with all optional packages', { timeout: 600_000 }, () => {
  const folder = temporaryFolder();
  const program = join(folder, 'package/dist/bundle/crawlstream.js');
  const browser = chromiumHere();

  /** Ends after a minute or with the command. Commands that fail some URLs still print. */
  const run = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    new Promise<Ended>((resolve) => {
      const options = { cwd: folder, env: { ...process.env, ...env }, timeout: 120_000, maxBuffer: 2 ** 26 };
      execFile(process.execPath, [program, ...args], options, (_, stdout, stderr) => resolve({ stdout, stderr }));
    });
  const pagesOf = async (data: string): Promise<Page[]> => {
    const { stdout, stderr } = await run(['pages', '--data', data, '--json']);
    assert.notEqual(stdout, '', stderr);
    return stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  };
  const flags = ['--allow-private', '--contact', 'bot@example.org', '--delay', '0', '--retries', 'none'];
  const crawl = async (data: string, url: string, more: readonly string[] = [], env = {}) => {
    const ended = await run(['crawl', url, '--data', data, ...flags, '--max-time', '60s', ...more], env);
    assert.match(ended.stdout + ended.stderr, /pages fetched +[1-9]/, ended.stderr);
    return ended;
  };
  const serveBody = (t: TestContext, type: string, body: string | Uint8Array, coding?: string) =>
    serveSite(t, (request, response) => {
      if (request.url === '/robots.txt') return response.writeHead(404).end();
      return response
        .writeHead(200, { 'content-type': type, ...(coding !== undefined && { 'content-encoding': coding }) })
        .end(body);
    });
  const serveHtml = (t: TestContext) =>
    serveBody(t, 'text/html', '<title>Harbor</title><p>Low water at noon.<script>document.title = "Rendered"</script>');

  before(() => {
    const pack = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder];
    const [packed] = JSON.parse(execFileSync('npm', pack, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 }));
    execFileSync('tar', ['-xzf', join(folder, packed.filename), '-C', folder]);
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  });

  it('the packed command crawls through SOCKS', async (t) => {
    const site = await serveHtml(t);
    const proxy = await serveSocks5(t, { port: site.port });
    const rules = join(folder, 'socks.json');
    writeFileSync(rules, JSON.stringify([{ hosts: ['*'], proxies: [`socks5://127.0.0.1:${proxy.port}`] }]));
    await crawl('socks', site.url('127.0.0.1', '/'), ['--requests', rules]);
    assert.ok(proxy.asked.length > 0);
  });

  it('the packed command reads a page in zstd', async (t) => {
    await init();
    const site = await serveBody(t, 'text/html', compress(Buffer.from('<title>Zstandard</title>')), 'zstd');
    await crawl('zstd', site.url('127.0.0.1', '/'));
    assert.equal((await pagesOf('zstd'))[0]?.title, 'Zstandard');
  });

  it('the packed command reads a PDF and an office file', async (t) => {
    const document = await PDFDocument.create();
    const font = await document.embedFont(StandardFonts.Helvetica);
    document.addPage().drawText('Tides of the harbor', { font, size: 12, x: 20, y: 300 });
    const files = [
      ['pdf', 'application/pdf', await document.save()],
      ['office', officeTypes.docx, await zipOf({ 'word/document.xml': documentOf('Tides of the harbor') })],
    ] as const;
    for (const [name, type, body] of files) {
      const rules = join(folder, `${name}.json`);
      writeFileSync(rules, JSON.stringify({ [name]: true }));
      const site = await serveBody(t, type, body);
      await crawl(name, site.url('127.0.0.1', '/'), ['--extract', rules]);
      assert.match((await pagesOf(name))[0]?.text ?? '', /Tides of the harbor/, name);
    }
  });

  it('the packed command keeps a crawl in RocksDB', async (t) => {
    const site = await serveHtml(t);
    await crawl('rocks', site.url('127.0.0.1', '/'), [], { CRAWLSTREAM_STORE: 'rocksdb' });
    assert.equal(readFileSync(join(folder, 'rocks/log/STORE'), 'utf8').trim(), 'rocksdb');
    assert.equal((await pagesOf('rocks'))[0]?.title, 'Harbor');
  });

  it('the packed command indexes pages with libsql and finds them', async (t) => {
    const site = await serveHtml(t);
    await crawl('index', site.url('127.0.0.1', '/'), ['--with', 'index']);
    const { stdout, stderr } = await run(['search', 'water', '--data', 'index', '--json']);
    assert.match(stdout, /Harbor/, stderr);
  });

  it('the packed command sends spans by OpenTelemetry', async (t) => {
    const site = await serveHtml(t);
    const collector = await serveSite(t, (_, response) => response.writeHead(200).end());
    const traced = ['--trace-ratio', '1', '--otlp', collector.url('127.0.0.1', '')];
    await crawl('traced', site.url('127.0.0.1', '/'), traced);
    assert.ok(collector.hits.some(({ path }) => path === '/v1/traces'));
  });

  it('the packed command uploads WARC files to S3', async (t) => {
    const site = await serveHtml(t);
    // Whether a real server takes them, the archive's own tests try.
    const store = await serveSite(t, (request, response) => {
      request.resume();
      request.on('end', () => response.writeHead(request.method === 'PUT' ? 200 : 404, { etag: '"one"' }).end());
    });
    const env = {
      ...{ AWS_ACCESS_KEY_ID: 'key', AWS_SECRET_ACCESS_KEY: 'secret', AWS_REGION: 'us-east-1' },
      AWS_ENDPOINT_URL_S3: store.url('127.0.0.1', ''),
    };
    await crawl(
      'archived',
      site.url('127.0.0.1', '/'),
      ['--with', 'archive', '--archive-to', 's3://bucket/packed'],
      env,
    );
    const puts = store.hits.map(({ path }) => path.split('?')[0]!);
    assert.ok(
      puts.some((path) => path.endsWith('.warc.gz')),
      puts.join(' '),
    );
  });

  it('the packed command renders pages in a browser', {
    skip: browser === undefined ? noBrowser : false,
  }, async (t) => {
    const site = await serveHtml(t);
    const rules = join(folder, 'render.json');
    writeFileSync(rules, JSON.stringify({ render: [{ hosts: ['*'], when: 'always' }] }));
    const rendering = ['--with', 'render', '--browser', browser!, '--extract', rules];
    await crawl('rendered', site.url('127.0.0.1', '/'), rendering);
    assert.ok((await pagesOf('rendered')).some(({ title }) => title === 'Rendered'));
  });

  it('the packed command serves tools by MCP', async (t) => {
    mkdirSync(join(folder, 'fleet'));
    const child = spawn(process.execPath, [program, 'mcp', '--data', join(folder, 'fleet')], {
      cwd: folder,
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    t.after(() => child.kill());
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const ask = async (id: number, method: string, params: object) => {
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
      return JSON.parse((await lines.next()).value ?? '{}');
    };
    const client = { protocolVersion: '2025-03-26', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
    assert.equal((await ask(1, 'initialize', client)).result?.serverInfo?.name, 'crawlstream');
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`);
    assert.ok((await ask(2, 'tools/list', {})).result?.tools?.length > 0);
  });
});
