/** `--archive all`: every exchange with a host whole, long bodies through files; held against what the host sent. */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { startCommand } from '../../../../lab/process/command.ts';
import { runPython } from '../../../kafka/python.ts';
import { unusedPort } from '../../fetcher/loopback.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';
import { checkByWarcio, warcioMissing } from './warcio.ts';

const block = randomBytes(1_000_000);
const filmBlocks = 100;
const picture = randomBytes(5_000);
let origin = '';
let closedOrigin = '';
let way: readonly string[] = [];

const html = { 'content-type': 'text/html' };
const linksTo = (...paths: string[]) => paths.map((path) => `<a href="${path}">x</a>`).join('');

before(async () => {
  const film = async (response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'video/mp4' });
    for (let n = 0; n < filmBlocks; n++) {
      if (!response.write(block)) await new Promise((resolve) => response.once('drain', resolve));
    }
    response.end();
  };
  const site = createServer((request, response) => {
    response.on('error', () => {});
    switch (request.url) {
      case '/':
        return response.writeHead(200, html).end(linksTo('/picture', '/moved', '/gone', '/broken', `${closedOrigin}/`));
      case '/film':
        return response.writeHead(200, html).end(linksTo('/reel'));
      case '/picture':
        return response.writeHead(200, { 'content-type': 'image/png' }).end(picture);
      case '/moved':
        return response.writeHead(302, { location: '/', ...html }).end('it moved');
      case '/broken':
        response.writeHead(200, { ...html, 'content-length': 1_000 }).write('half of it');
        return setTimeout(() => response.destroy(), 200);
      case '/reel':
        return void film(response);
      default:
        return response.writeHead(404, html).end(`no ${request.url}`);
    }
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  site.unref();
  const { port } = site.address() as AddressInfo;
  const closed = await unusedPort();
  origin = `http://pond.test:${port}`;
  closedOrigin = `http://closed.test:${closed}`;
  way = ['--resolve', `*:${port}:127.0.0.1`, '--resolve', `*:${closed}:127.0.0.1`, '--delay', '0', '--retries', 'none'];
});

interface Report {
  readonly type: string;
  readonly path: string;
  readonly truncated: string | null;
  readonly status: string | null;
  readonly length: number;
  readonly sha1: string;
  /** Of what is short. */
  readonly text: string;
}

const reading = `
import hashlib, json, sys
from urllib.parse import urlsplit
from warcio.archiveiterator import ArchiveIterator
for path in sys.argv[1:]:
    with open(path, 'rb') as file:
        for record in ArchiveIterator(file, check_digests='raise'):
            sha1, length, text = hashlib.sha1(), 0, b''
            while chunk := record.raw_stream.read(65536):
                sha1.update(chunk)
                length += len(chunk)
                text = text or chunk[:2000]
            url = record.rec_headers.get_header('WARC-Target-URI') or ''
            answered = record.http_headers if record.rec_type == 'response' else None
            print(json.dumps({'type': record.rec_type, 'path': url, 'truncated': record.rec_headers.get_header('WARC-Truncated'),
                'status': answered and answered.get_statuscode(), 'length': length, 'sha1': sha1.hexdigest(),
                'text': text.decode('latin1')}))
`;

/** The archive's records, and the most memory that the crawl took, MiB. */
async function crawl(seed: string, ...more: string[]): Promise<{ records: Report[]; peakMb: number }> {
  const data = join(temporaryFolder(), 'data');
  const words = ['crawl', seed, ...way, '--data', data, '--with', 'archive', '--contact', 'me@pond.test', ...more];
  const { child, ended } = startCommand([...words, '--scope', 'all'], { patienceMs: 120_000 });
  let peakMb = 0;
  const look = setInterval(() => {
    const status = `/proc/${child.pid}/status`;
    if (!existsSync(status)) return;
    const [, kib] = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(status, 'utf8')) ?? [];
    peakMb = Math.max(peakMb, Number(kib ?? 0) / 1024);
  }, 20);
  const { code, stderr } = await ended;
  clearInterval(look);
  // 1: pages failed, as they are meant to.
  assert.ok(code === 0 || (code === 1 && !stderr.includes('crawlstream: ')), stderr);
  const folder = join(data, 'archive');
  const files = readdirSync(folder)
    .filter((name) => name.endsWith('.warc.gz'))
    .map((name) => join(folder, name));
  await checkByWarcio(files);
  assert.deepEqual(readdirSync(join(data, 'bodies')), [], 'bodies that are archived are gone from where they waited');
  const lines = (await runPython(reading, files)).trimEnd().split('\n');
  const records = lines.map((line) => JSON.parse(line) as Report);
  return { records: records.map((one) => ({ ...one, path: one.path.replace(origin, '') })), peakMb };
}

const sha1 = (bytes: Uint8Array) => createHash('sha1').update(bytes).digest('hex');

test('every response is archived whole, whatever its status and type, and failures are recorded', {
  skip: warcioMissing,
}, async () => {
  const { records } = await crawl(`${origin}/`, '--archive', 'all');
  const answer = (path: string) => records.find((one) => one.type === 'response' && one.path === path)!;
  const metadata = (path: string) => records.find((one) => one.type === 'metadata' && one.path === path)!.text;
  assert.deepEqual([answer('/picture').sha1, answer('/picture').truncated], [sha1(picture), null]);
  assert.deepEqual([answer('/moved').status, answer('/moved').text], ['302', 'it moved']);
  assert.deepEqual([answer('/gone').status, answer('/gone').text], ['404', 'no /gone']);
  assert.equal(answer('/robots.txt').text, 'no /robots.txt');
  assert.match(metadata('/robots.txt'), /^requestedAs: robots\r$/m);
  assert.deepEqual([answer('/broken').text, answer('/broken').truncated], ['half of it', 'disconnect']);
  assert.match(metadata('/broken'), /^failure: \w+\r$/m);
  const closed = records.filter(({ path }) => path.startsWith(closedOrigin));
  assert.deepEqual(
    closed.map(({ type }) => type),
    ['metadata'],
  );
  assert.match(closed[0]!.text, /^failure: connectionFailed\r\nfailureDetail: .*ECONNREFUSED/m);
});

test('a body of 100 MB goes through files, with no more memory than without an archive', {
  skip: warcioMissing,
}, async () => {
  const { peakMb: withoutIt } = await crawl(`${origin}/gone`, '--archive', 'all');
  const { records, peakMb } = await crawl(`${origin}/film`, '--archive', 'all');
  console.log(`peak resident memory: ${withoutIt.toFixed(0)} MiB without it, ${peakMb.toFixed(0)} MiB with it`);
  const film = records.find((one) => one.type === 'response' && one.path === '/reel')!;
  const whole = createHash('sha1');
  for (let n = 0; n < filmBlocks; n++) whole.update(block);
  assert.deepEqual([film.length, film.sha1, film.truncated], [100_000_000, whole.digest('hex'), null]);
  assert.ok(peakMb < withoutIt + 80, `${peakMb} MiB, and ${withoutIt} without it`);
});

test('a body beyond the archive limit is cut there and marked', { skip: warcioMissing }, async () => {
  const { records } = await crawl(`${origin}/film`, '--archive', 'all', '--archive-body', '3');
  const film = records.find((one) => one.type === 'response' && one.path === '/reel')!;
  assert.deepEqual([film.length, film.truncated], [3 * 2 ** 20, 'length']);
});

test('workers share the folder of bodies with the archive', { skip: warcioMissing }, async () => {
  const { records } = await crawl(`${origin}/film`, '--archive', 'all', '--archive-body', '5', '--workers', '2');
  const film = records.find((one) => one.type === 'response' && one.path === '/reel')!;
  assert.deepEqual([film.length, film.truncated], [5 * 2 ** 20, 'length']);
});
