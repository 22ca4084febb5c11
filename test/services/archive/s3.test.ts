import assert from 'node:assert/strict';
import { readdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { type S3Target, s3Target, signed } from '../../../services/archive/s3.ts';
import { createUploads } from '../../../services/archive/uploads.ts';
import { temporaryFolder } from '../runtime/store/temporary-folder.ts';

/** Each wait is over at once, so that retries take no time. */
const clock = { nowMs: () => Date.UTC(2026, 0, 1), sleepUntil: async () => {} };

/** An S3 of one bucket: checks signatures with the code under test's own key, and answers as told. */
async function startStore(answers: number[] = []) {
  const stored = new Map<string, string>();
  const requests: string[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    requests.push(`${request.method} ${request.url}`);
    const status = answers.shift() ?? 200;
    if (status === 200) stored.set(request.url!, Buffer.concat(chunks).toString());
    response.writeHead(status).end(status === 200 ? '' : '<Error><Message>not now</Message></Error>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  after(() => server.close());
  const { port } = server.address() as { port: number };
  const env = {
    AWS_ACCESS_KEY_ID: 'id',
    AWS_SECRET_ACCESS_KEY: 'secret',
    AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${port}/`,
  };
  return { stored, requests, target: s3Target('s3://bucket/some/prefix', env) };
}

async function finished(...names: string[]): Promise<string> {
  const folder = temporaryFolder();
  for (const name of names) {
    await writeFile(join(folder, `${name}.warc.gz`), `warc of ${name}`);
    await writeFile(join(folder, `${name}.cdxj`), `index of ${name}`);
  }
  return folder;
}

async function filesIn(folder: string): Promise<string[]> {
  const names = await readdir(folder);
  return names.filter((name) => name.endsWith('.warc.gz')).map((name) => name.slice(0, -8));
}

describe('uploads to S3', () => {
  it("sign as AWS's own example does", () => {
    // AWS, "Signature Calculations for the Authorization Header", example: PUT Object.
    const target: S3Target = {
      endpoint: 'https://examplebucket.s3.amazonaws.com',
      region: 'us-east-1',
      bucket: 'examplebucket',
      prefix: '',
      accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
      secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
    };
    const headers = signed(target, {
      method: 'PUT',
      url: new URL('https://examplebucket.s3.amazonaws.com/test%24file.text'),
      payloadHash: '44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072',
      nowMs: Date.UTC(2013, 4, 24),
      headers: { date: 'Fri, 24 May 2013 00:00:00 GMT', 'x-amz-storage-class': 'REDUCED_REDUNDANCY' },
    });
    assert.match(
      headers['authorization']!,
      /Signature=98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd$/,
    );
  });

  it('move whole files there, each with its index, and keep none here', async () => {
    const folder = await finished('a', 'b');
    const { stored, target } = await startStore();
    const uploads = createUploads(folder, target, clock, () => filesIn(folder));
    uploads.start();
    await uploads.settled();
    assert.deepEqual(
      stored,
      new Map([
        ['/bucket/some/prefix/a.cdxj', 'index of a'],
        ['/bucket/some/prefix/a.warc.gz', 'warc of a'],
        ['/bucket/some/prefix/b.cdxj', 'index of b'],
        ['/bucket/some/prefix/b.warc.gz', 'warc of b'],
      ]),
    );
    assert.deepEqual(await readdir(folder), []);
  });

  it('try again while the store is busy, and keep the file where it refuses', async () => {
    const folder = await finished('a');
    const busy = await startStore([503, 500]);
    const uploads = createUploads(folder, busy.target, clock, () => filesIn(folder));
    uploads.start();
    await uploads.settled();
    assert.equal(busy.requests.length, 4);
    const kept = await finished('b');
    const refusing = await startStore([403]);
    const refused = createUploads(kept, refusing.target, clock, () => filesIn(kept));
    refused.start();
    await assert.rejects(refused.settled(), { code: 'DESTINATION_REFUSED', message: /bucket bucket: 403 not now/ });
    assert.deepEqual((await readdir(kept)).sort(), ['b.cdxj', 'b.warc.gz']);
  });

  it('name what is missing', () => {
    assert.throws(() => s3Target('bucket', {}), /write s3:\/\/bucket/);
    assert.throws(() => s3Target('s3://bucket', {}), /AWS_ACCESS_KEY_ID/);
  });
});
