/** The object store on S3, against a real server. */
import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { openS3Objects, s3Place } from '../../../../services/runtime/objects/s3-objects.ts';
import { objectsContract } from '../../../contract/objects-contract.ts';
import { s3SkipReason, startS3, type TestS3 } from '../../../s3/server.ts';

const skip = (await s3SkipReason()) ?? false;
let s3: TestS3;

before(async () => {
  if (skip !== false) return;
  s3 = await startS3();
  Object.assign(process.env, s3.env, { AWS_EC2_METADATA_DISABLED: 'true' });
});
after(() => s3?.stop());

objectsContract('S3', async () => openS3Objects(`s3://${await s3.bucket()}/some/prefix`), skip);

describe('an object store on S3', { skip, timeout: 300_000 }, () => {
  it('an object store on S3 puts all names behind its prefix, and sees no others', async () => {
    const bucket = await s3.bucket();
    const [whole, part] = [await openS3Objects(`s3://${bucket}`), await openS3Objects(`s3://${bucket}/a/b/`)];
    await part.put('c/one', Buffer.from('1'));
    assert.deepEqual(await whole.list('a/'), ['a/b/c/one']);
    assert.deepEqual(await part.list('a/'), []);
    assert.equal((await whole.get('a/b/c/one'))?.toString(), '1');
  });

  it('an object store on S3 lists more than one page of names', async () => {
    const objects = await openS3Objects(`s3://${await s3.bucket()}`);
    const names = Array.from({ length: 1_010 }, (_, n) => `many/${String(n).padStart(4, '0')}`);
    for (let at = 0; at < names.length; at += 100) {
      await Promise.all(names.slice(at, at + 100).map((name) => objects.put(name, Buffer.from('x'))));
    }
    assert.deepEqual(await objects.list('many/'), names);
    objects.close();
  });

  it('an object store on S3 reports what was refused, and by whom', async () => {
    const objects = await openS3Objects('s3://no-such-bucket/prefix');
    await assert.rejects(objects.put('one', Buffer.from('1')), {
      code: 'DESTINATION_REFUSED',
      message: /s3:\/\/no-such-bucket\/prefix refused to take one: 404 .*bucket/,
    });
    await assert.rejects(objects.get('one'), { code: 'DESTINATION_REFUSED' });
    process.env['AWS_SECRET_ACCESS_KEY'] = 'wrong';
    const stranger = await openS3Objects(`s3://${await s3.bucket()}`);
    process.env['AWS_SECRET_ACCESS_KEY'] = s3.env['AWS_SECRET_ACCESS_KEY'];
    await assert.rejects(stranger.put('one', Buffer.from('1')), { code: 'DESTINATION_REFUSED', message: /403/ });
  });

  it('an object store on S3 that is away is retried', async () => {
    const gone = await startS3();
    const bucket = await gone.bucket();
    process.env['AWS_ENDPOINT_URL_S3'] = gone.env['AWS_ENDPOINT_URL_S3'];
    const objects = await openS3Objects(`s3://${bucket}`);
    await objects.put('one', Buffer.from('1'));
    process.env['AWS_ENDPOINT_URL_S3'] = s3.env['AWS_ENDPOINT_URL_S3'];
    await gone.stop();
    await assert.rejects(objects.get('one'), { code: 'DESTINATION_UNREACHABLE', retriable: true });
  });

  it('an object store on S3 rejects an object that was changed outside', async () => {
    const bucket = await s3.bucket();
    const objects = await openS3Objects(`s3://${bucket}`);
    await objects.put('a/one', Buffer.from('1'));
    await rm(join(s3.folderOf(bucket), 'a/one'));
    assert.equal(await objects.get('a/one'), undefined);
  });
});

it('the location of an object store on S3 is given as in AWS’s tools', async () => {
  assert.deepEqual(s3Place('s3://bucket/a/b'), { bucket: 'bucket', prefix: 'a/b/' });
  assert.deepEqual(s3Place('s3://bucket'), { bucket: 'bucket', prefix: '' });
  for (const wrong of ['s3:/bucket', 's3://', 's3://UPPER', 'bucket']) {
    assert.throws(() => s3Place(wrong), /write s3:\/\/bucket or s3:\/\/bucket\/prefix/);
  }
  const { AWS_ACCESS_KEY_ID: id, ...rest } = process.env;
  delete process.env['AWS_ACCESS_KEY_ID'];
  Object.assign(process.env, { AWS_EC2_METADATA_DISABLED: 'true', AWS_CONFIG_FILE: '/dev/null' });
  await assert.rejects(openS3Objects('s3://bucket'), { code: 'INVALID_ARGUMENT', message: /AWS_ACCESS_KEY_ID/ });
  if (id !== undefined) Object.assign(process.env, rest, { AWS_ACCESS_KEY_ID: id });
});
