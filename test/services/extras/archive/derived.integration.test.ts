/** WAT and WET of an archive, as a reader that is not ours (PyPI's fastwarc) reads them. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { pythonEnvironment } from '../../../../lab/bench/content/python-environment.ts';
import { lastJson, runCommand } from '../../../../lab/process/command.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';

const run = promisify(execFile);
const folder = temporaryFolder();
const derived = join(folder, 'derived');
let origin = '';
let warcs: readonly string[] = [];

before(async () => {
  const site = createServer((request, response) => {
    const html = { 'content-type': 'text/html; charset=utf-8' };
    if (request.url === '/') {
      const page = '<html lang=de><title>Teich – groß</title><p>Ein Frosch.</p><a href=/plain>x</a>';
      return response.writeHead(200, { ...html, 'content-encoding': 'gzip' }).end(gzipSync(page));
    }
    if (request.url === '/plain') return response.writeHead(200, { 'content-type': 'text/plain' }).end('plain words');
    return response.writeHead(404, html).end('<p>not here');
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  const { port } = site.address() as AddressInfo;
  origin = `http://pond.test:${port}`;
  const way = ['--resolve', `*.test:${port}:127.0.0.1`, '--delay', '0', '--with', 'archive', '--archive', 'all'];
  const data = join(folder, 'data');
  const { code, stderr } = await runCommand(['crawl', `${origin}/`, ...way, '--data', data]);
  assert.equal(code, 0, stderr);
  site.close();
  warcs = readdirSync(join(data, 'archive'))
    .filter((name) => name.endsWith('.warc.gz'))
    .map((name) => join(data, 'archive', name));
});

interface Read {
  readonly type: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly text: string;
}

async function derivedBy(words: readonly string[]): Promise<Read[]> {
  const made = await runCommand([...words, ...warcs, '--out', derived, '--json']);
  assert.equal(made.code, 0, made.stderr);
  const { file, records } = lastJson(made) as { file: string; records: number };
  const program = `
import json, sys
from fastwarc.warc import ArchiveIterator
with open(sys.argv[1], 'rb') as stream:
    for record in ArchiveIterator(stream, parse_http=False, verify_digests=True):
        print(json.dumps({'type': record.record_type.name, 'fields': dict(record.headers), 'text': record.reader.read().decode()}))`;
  const environment = pythonEnvironment('fastwarc', ['fastwarc==0.15.2']);
  const { stdout } = await run(join(environment, 'bin/python'), ['-c', program, file]);
  const all = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Read);
  assert.equal(all.length, records + 1, 'none is lost to a digest that is wrong');
  assert.equal(all[0]!.type, 'warcinfo');
  return all.slice(1);
}

test('WET has the text of each page, with a reference to its response', async () => {
  const records = await derivedBy(['warc', 'wet']);
  assert.deepEqual(
    records.map(({ type, fields, text }) => [type, fields['WARC-Target-URI'], fields['Content-Type'], text.trim()]),
    [
      ['conversion', `${origin}/`, 'text/plain', 'Ein Frosch. x'],
      ['conversion', `${origin}/plain`, 'text/plain', 'plain words'],
    ],
  );
  assert.ok(records.every(({ fields }) => /^<urn:uuid:/.test(fields['WARC-Refers-To']!)));
});

test('WAT has a record for each record, with headers, title and links', async () => {
  const records = await derivedBy(['warc', 'wat']);
  const envelopes = records.map(({ text }) => JSON.parse(text).Envelope);
  const types = envelopes.map((one) => one['WARC-Header-Metadata']['WARC-Type']);
  assert.deepEqual(types, ['warcinfo', ...Array.from({ length: 3 }, () => ['request', 'response', 'metadata']).flat()]);
  const page = envelopes.find((one) => {
    const { 'WARC-Type': type, 'WARC-Target-URI': url } = one['WARC-Header-Metadata'];
    return type === 'response' && url === `${origin}/`;
  });
  const response = page['Payload-Metadata']['HTTP-Response-Metadata'];
  assert.deepEqual(response['Response-Message'], { Version: 'HTTP/1.1', Status: '200', Reason: 'OK' });
  assert.equal(response.Headers['content-encoding'], 'gzip');
  assert.equal(response['HTML-Metadata'].Head.Title, 'Teich – groß');
  assert.deepEqual(response['HTML-Metadata'].Links, [{ path: 'A@/href', url: `${origin}/plain` }]);
  const request = envelopes[1]['Payload-Metadata']['HTTP-Request-Metadata'];
  assert.deepEqual(request['Request-Message'], { Method: 'GET', Path: '/robots.txt', Version: 'HTTP/1.1' });
});
