/** Answers that say that nothing has changed, and payloads that another archive has: what a replayer makes of them. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { runCommand } from '../../../../lab/process/command.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';
import { checkByWarcio, fieldsOf, readByWarcio, warcioMissing } from './warcio.ts';

const folder = temporaryFolder();
const text = `<title>Pond</title>${'water '.repeat(100)}`;
let origin = '';
let way: readonly string[] = [];

before(async () => {
  const site = createServer((request, response) => {
    if (request.url !== '/') return response.writeHead(404).end();
    const isKnown = request.headers['if-none-match'] === '"one"';
    response.writeHead(isKnown ? 304 : 200, { etag: '"one"', 'content-type': 'text/html' });
    return response.end(isKnown ? undefined : text);
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  site.unref();
  const { port } = site.address() as AddressInfo;
  origin = `http://pond.test:${port}`;
  way = ['--resolve', `*.test:${port}:127.0.0.1`, '--delay', '0', '--with', 'archive'];
});

async function run(...words: string[]): Promise<void> {
  const { code, stderr } = await runCommand(words);
  assert.equal(code, 0, `${words.join(' ')}\n${stderr}`);
}

function archived(data: string) {
  const names = readdirSync(join(data, 'archive'));
  const pathsOf = (ending: string) =>
    names.filter((name) => name.endsWith(ending)).map((name) => join(data, 'archive', name));
  return { files: pathsOf('.warc.gz'), indexes: pathsOf('.cdxj') };
}

test('a 304 becomes a revisit that refers to the unchanged response', { skip: warcioMissing }, async () => {
  const data = join(folder, 'first');
  const again304 = ['--recrawl', 'fixed', '--recrawl-every', '1s', '--max-time', '5s'];
  await run('crawl', `${origin}/`, ...way, ...again304, '--data', data);
  const { files, indexes } = archived(data);
  await checkByWarcio(files);
  const records = (await readByWarcio(files)).filter(({ url }) => url === `${origin}/`);
  const first = records.find(({ type }) => type === 'response')!;
  const [again] = records.filter(({ type }) => type === 'revisit');
  assert.ok(again);
  assert.match(again.block.toString(), /^HTTP\/1\.1 304 Not Modified\r\n/);
  assert.match(fieldsOf(again, 'WARC-Profile')[0]!, /\/1\.1\/revisit\/server-not-modified$/);
  assert.deepEqual(fieldsOf(again, 'WARC-Refers-To-Target-URI'), [`${origin}/`]);
  assert.deepEqual(fieldsOf(again, 'WARC-Refers-To-Date'), fieldsOf(first, 'WARC-Date'));
  assert.deepEqual(fieldsOf(again, 'WARC-Payload-Digest'), fieldsOf(first, 'WARC-Payload-Digest'));
  const lines = indexes.flatMap((path) => readFileSync(path, 'utf8').trimEnd().split('\n'));
  const [digest] = fieldsOf(first, 'WARC-Payload-Digest');
  assert.ok(lines.some((line) => line.includes('"mime":"warc/revisit","status":"304"') && line.includes(digest!)));
});

test('a payload in the index of another archive becomes a pointer to it', { skip: warcioMissing }, async () => {
  const [known] = archived(join(folder, 'first')).indexes;
  const data = join(folder, 'second');
  await run('crawl', `${origin}/`, ...way, '--data', data, '--archive-known', known!);
  const { files } = archived(data);
  await checkByWarcio(files);
  const records = (await readByWarcio(files)).filter(({ url, type }) => url === `${origin}/` && type !== 'metadata');
  assert.deepEqual(
    records.map(({ type }) => type),
    ['request', 'revisit'],
  );
  assert.match(fieldsOf(records[1]!, 'WARC-Profile')[0]!, /identical-payload-digest$/);
  assert.deepEqual(fieldsOf(records[1]!, 'WARC-Refers-To-Target-URI'), [`${origin}/`]);

  const refused = await runCommand([
    'crawl',
    `${origin}/`,
    ...way,
    '--data',
    join(folder, 'third'),
    '--archive-known',
    'x',
  ]);
  assert.notEqual(refused.code, 0);
  assert.match(refused.stderr, /x cannot be read/);
});
