/** Requests to an S3 server on loopback, by Amazon’s API reference, and what its refusals become. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, type TestContext, test } from 'node:test';
import { openS3Objects, s3Place } from '../../../../services/runtime/objects/s3-objects.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly checksum: string | undefined;
  readonly body: string;
}

/** Answers all requests with this status and text, one after another; the last one stays. */
let answers: (readonly [status: number, text: string])[] = [[200, '']];
const asked: Asked[] = [];
const server = createServer(async (request: IncomingMessage, response) => {
  const parts: Buffer[] = [];
  for await (const part of request as AsyncIterable<Buffer>) parts.push(part);
  const { pathname, searchParams } = new URL(request.url!, 'http://a.test');
  searchParams.delete('x-id');
  asked.push({
    ...{ method: request.method!, path: pathname, query: searchParams.toString() },
    checksum: request.headers['x-amz-checksum-sha256'] as string | undefined,
    body: Buffer.concat(parts).toString(),
  });
  const [status, text] = answers.length > 1 ? answers.shift()! : answers[0]!;
  response.writeHead(status, { 'content-type': 'application/xml' }).end(text);
});

server.listen(0, '127.0.0.1');
await once(server, 'listening');
const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
after(() => server.close().closeAllConnections());

/** Sets variables of this process until the test ends. */
function setVariables(t: TestContext, variables: Readonly<Record<string, string>>): void {
  const before = Object.keys(variables).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, variables);
  t.after(() => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  });
}

async function on(t: TestContext, url: string, ...given: (readonly [status: number, text: string])[]) {
  const login = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret', AWS_MAX_ATTEMPTS: '1' };
  setVariables(t, { ...login, AWS_ENDPOINT_URL: endpoint });
  answers = given.length === 0 ? [[200, '']] : given;
  asked.length = 0;
  return openS3Objects(url);
}

const fault = (code: string, message = 'no') => `<Error><Code>${code}</Code><Message>${message}</Message></Error>`;

test('a place is a bucket and a prefix that ends in a slash', () => {
  assert.deepEqual(s3Place('s3://pond'), { bucket: 'pond', prefix: '' });
  assert.deepEqual(s3Place('s3://pond/'), { bucket: 'pond', prefix: '' });
  assert.deepEqual(s3Place('s3://pond.a-1/x/y'), { bucket: 'pond.a-1', prefix: 'x/y/' });
  assert.deepEqual(s3Place('s3://pond/x/'), { bucket: 'pond', prefix: 'x/' });
  for (const url of ['s3://', 's3://P', 's3://a', 'http://pond/x', 's3://-pond', `s3://${'a'.repeat(64)}`])
    assert.throws(() => s3Place(url), {
      code: 'INVALID_ARGUMENT',
      message: `${url}: write s3://bucket or s3://bucket/prefix`,
    });
});

test('an object is put and read under its prefix, and a file with its checksum', async (t) => {
  const objects = await on(t, 's3://pond/x');
  assert.equal(objects.place, 's3://pond/x');
  await objects.put('a.txt', Buffer.from('bytes'));
  const path = join(temporaryFolder(), 'file');
  writeFileSync(path, 'of a file');
  await objects.putFile('f/b.txt', path);
  answers = [[200, 'stored']];
  assert.equal(`${await objects.get('a.txt')}`, 'stored');
  await objects.remove(['a.txt', 'c.txt']);
  const checksum = createHash('sha256').update('of a file').digest('base64');
  assert.deepEqual(asked, [
    { method: 'PUT', path: '/pond/x/a.txt', query: '', checksum: undefined, body: 'bytes' },
    { method: 'PUT', path: '/pond/x/f/b.txt', query: '', checksum, body: 'of a file' },
    { method: 'GET', path: '/pond/x/a.txt', query: '', checksum: undefined, body: '' },
    { method: 'DELETE', path: '/pond/x/a.txt', query: '', checksum: undefined, body: '' },
    { method: 'DELETE', path: '/pond/x/c.txt', query: '', checksum: undefined, body: '' },
  ]);
  objects.close();
});

test('a list has all pages, in order, without the prefix', async (t) => {
  const page = (next: string, ...keys: readonly string[]) =>
    `<ListBucketResult><IsTruncated>${next !== ''}</IsTruncated><NextContinuationToken>${next}</NextContinuationToken>${keys
      .map((key) => `<Contents><Key>${key}</Key></Contents>`)
      .join('')}</ListBucketResult>`;
  const objects = await on(t, 's3://pond/x', [200, page('more', 'x/c', 'x/b/d')], [200, page('', 'x/a')]);
  assert.deepEqual(await objects.list('b/'), ['a', 'b/d', 'c']);
  assert.deepEqual(
    asked.map(({ path, query }) => [path, query]),
    [
      ['/pond/', 'list-type=2&prefix=x%2Fb%2F'],
      ['/pond/', 'continuation-token=more&list-type=2&prefix=x%2Fb%2F'],
    ],
  );
  const empty = await on(t, 's3://pond', [200, '<ListBucketResult></ListBucketResult>']);
  assert.deepEqual(await empty.list(''), []);
});

test('an object that does not exist is undefined, and a bucket that does not is refused', async (t) => {
  const objects = await on(t, 's3://pond', [404, fault('NoSuchKey')]);
  assert.equal(await objects.get('a'), undefined);
  answers = [[404, fault('NoSuchBucket', 'no such bucket')]];
  await assert.rejects(objects.get('a'), {
    ...{ code: 'DESTINATION_REFUSED', message: 's3://pond refused to give a: 404 no such bucket' },
  });
});

test('a refusal names the request, the status and the remedy; a busy or silent store counts as away', async (t) => {
  const objects = await on(t, 's3://pond');
  const path = join(temporaryFolder(), 'file');
  writeFileSync(path, '');
  for (const [status, code, rest] of [
    [401, 'DESTINATION_REFUSED', '401 no; check the credentials and their rights there'],
    [403, 'DESTINATION_REFUSED', '403 no; check the credentials and their rights there'],
    [400, 'DESTINATION_REFUSED', '400 no'],
    [499, 'DESTINATION_REFUSED', '499 no'],
  ] as const) {
    answers = [[status, fault('Odd')]];
    for (const [what, act] of [
      ['to take a', () => objects.put('a', Buffer.from('x'))],
      ['to take a', () => objects.putFile('a', path)],
      ['to give a', () => objects.get('a')],
      ['to list f/', () => objects.list('f/')],
      ['to remove objects', () => objects.remove(['a'])],
    ] as const)
      await assert.rejects(act(), { code, message: `s3://pond refused ${what}: ${rest}` }, `${status} ${what}`);
  }
  for (const status of [429, 500, 503]) {
    answers = [[status, fault('SlowDown', 'slow down')]];
    await assert.rejects(objects.put('a', Buffer.from('x')), {
      ...{ code: 'DESTINATION_UNREACHABLE', message: 's3://pond cannot be reached: slow down' },
    });
  }
  process.env['AWS_ENDPOINT_URL'] = 'http://127.0.0.1:1';
  const away = await openS3Objects('s3://pond');
  await assert.rejects(away.get('a'), {
    code: 'DESTINATION_UNREACHABLE',
    message: /cannot be reached: .*ECONNREFUSED/,
  });
});
