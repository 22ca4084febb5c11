/**
 * The object store on S3 or compatible services, with AWS's own client.
 *
 * Endpoint, region and credentials are found in the same way as by AWS's tools: `AWS_*` variables, profiles, a pod's
 * or a machine's role. The bucket is part of the path, which every compatible store accepts.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { S3Client, S3ServiceException } from '@aws-sdk/client-s3';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { neededPackage } from '../needed-package.ts';
import { objectLimits } from './object-limits.ts';
import type { ObjectStore } from './objects.ts';

export interface S3Place {
  readonly bucket: string;
  /** Put before each name. Empty, or ending in a slash. */
  readonly prefix: string;
}

/** `s3://bucket/some/prefix`. Throws INVALID_ARGUMENT. */
export function s3Place(url: string): S3Place {
  const [, bucket, path = ''] = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,62})(?:\/(.*))?$/.exec(url) ?? [];
  if (bucket === undefined) {
    throw new CrawlstreamError('INVALID_ARGUMENT', `${url}: write s3://bucket or s3://bucket/prefix`);
  }
  return { bucket, prefix: path === '' || path.endsWith('/') ? path : `${path}/` };
}

/** Throws INVALID_ARGUMENT without credentials. */
export async function openS3Objects(url: string): Promise<ObjectStore> {
  const { bucket, prefix } = s3Place(url);
  // The client warns at each start that later releases will not support Node 20; the locked release does.
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';
  // Loaded here, since most crawls do not need it.
  const sdk = await neededPackage('@aws-sdk/client-s3', url, () => import('@aws-sdk/client-s3'));
  const client = new sdk.S3Client({
    region: process.env['AWS_REGION'] ?? process.env['AWS_DEFAULT_REGION'] ?? 'us-east-1',
    forcePathStyle: true,
    // Compatible stores support only the plain protocol; stored data has our own checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: { connectionTimeout: objectLimits.connectMs, socketTimeout: objectLimits.silenceMs },
  });
  await needCredentials(client, url);
  const key = (name: string) => ({ Bucket: bucket, Key: `${prefix}${name}` });
  const withCause = async <T>(what: string, act: () => Promise<T>): Promise<T> => {
    try {
      return await act();
    } catch (error) {
      throw failure(url, what, error as S3ServiceException);
    }
  };

  return {
    place: url,
    put: (name, bytes) =>
      withCause(`to take ${name}`, async () => {
        await client.send(new sdk.PutObjectCommand({ ...key(name), Body: bytes, ContentLength: bytes.length }));
      }),
    putFile: (name, path) =>
      withCause(`to take ${name}`, async () => {
        const hash = createHash('sha256');
        for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
        const { size: ContentLength } = await stat(path);
        // A stream's hash is not part of the signature; this has the store check it.
        const ChecksumSHA256 = hash.digest('base64');
        const Body = createReadStream(path);
        await client.send(new sdk.PutObjectCommand({ ...key(name), Body, ContentLength, ChecksumSHA256 }));
      }),
    get: (name) =>
      withCause(`to give ${name}`, async () => {
        try {
          const { Body } = await client.send(new sdk.GetObjectCommand(key(name)));
          return Buffer.from(await Body!.transformToByteArray());
        } catch (error) {
          if ((error as Error).name === 'NoSuchKey') return undefined;
          throw error;
        }
      }),
    list: (folder) =>
      withCause(`to list ${folder}`, async () => {
        const names: string[] = [];
        const pages = sdk.paginateListObjectsV2({ client }, { Bucket: bucket, Prefix: `${prefix}${folder}` });
        for await (const { Contents = [] } of pages) {
          for (const { Key } of Contents) if (Key !== undefined) names.push(Key.slice(prefix.length));
        }
        return names.sort();
      }),
    remove: (names) =>
      withCause('to remove objects', async () => {
        for (const name of names) await client.send(new sdk.DeleteObjectCommand(key(name)));
      }),
    close: () => client.destroy(),
  };
}

async function needCredentials(client: S3Client, url: string): Promise<void> {
  try {
    await client.config.credentials();
  } catch (cause) {
    const message = `${url} needs credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or any other credentials of the AWS tools`;
    throw new CrawlstreamError('INVALID_ARGUMENT', message, cause);
  }
}

function failure(url: string, what: string, error: S3ServiceException): CrawlstreamError {
  const status = error.$metadata?.httpStatusCode;
  if (status === undefined || status >= 500 || status === 429) {
    return new CrawlstreamError('DESTINATION_UNREACHABLE', `${url} cannot be reached: ${reasonOf(error)}`, error);
  }
  const remedy = status === 401 || status === 403 ? '; check the credentials and their rights there' : '';
  const message = `${url} refused ${what}: ${status} ${reasonOf(error)}${remedy}`;
  return new CrawlstreamError('DESTINATION_REFUSED', message, error);
}

/** If several addresses were tried, the error of the first is enough. */
function reasonOf(error: Error & { readonly errors?: readonly Error[]; readonly code?: string }): string {
  return error.message || error.errors?.[0]?.message || error.code || error.name;
}
