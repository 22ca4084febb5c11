/**
 * Puts files into an S3-compatible store, signed by Signature Version 4.
 * Source: AWS, "Authenticating Requests: Using the Authorization Header (Signature Version 4)".
 */
import { createHash, createHmac } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { request } from 'undici';
import { CrawlstreamError } from '../../topology/errors.ts';

export interface S3Target {
  /** Scheme, host and port. The bucket goes into the path, as every compatible store takes it. */
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  /** Put before each name. Empty, or ending in a slash. */
  readonly prefix: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Of temporary credentials. */
  readonly sessionToken?: string | undefined;
}

/** `s3://bucket/some/prefix`, with endpoint and credentials from the environment, as AWS's own tools take them. */
export function s3Target(url: string, env: NodeJS.ProcessEnv): S3Target {
  const [, bucket, path = ''] = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,62})(?:\/(.*))?$/.exec(url) ?? [];
  if (bucket === undefined) {
    throw new CrawlstreamError('INVALID_ARGUMENT', `${url}: write s3://bucket or s3://bucket/prefix`);
  }
  const accessKeyId = env['AWS_ACCESS_KEY_ID'];
  const secretAccessKey = env['AWS_SECRET_ACCESS_KEY'];
  if (!accessKeyId || !secretAccessKey) {
    const message = `${url} needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment`;
    throw new CrawlstreamError('INVALID_ARGUMENT', message);
  }
  const region = env['AWS_REGION'] ?? env['AWS_DEFAULT_REGION'] ?? 'us-east-1';
  const endpoint = env['AWS_ENDPOINT_URL_S3'] ?? env['AWS_ENDPOINT_URL'] ?? `https://s3.${region}.amazonaws.com`;
  const prefix = path === '' || path.endsWith('/') ? path : `${path}/`;
  const sessionToken = env['AWS_SESSION_TOKEN'];
  return { endpoint: endpoint.replace(/\/$/, ''), region, bucket, prefix, accessKeyId, secretAccessKey, sessionToken };
}

/** Throws DESTINATION_UNREACHABLE where the store is away or busy, DESTINATION_REFUSED with its words where it refuses. */
export async function putFile(target: S3Target, name: string, path: string, nowMs: number): Promise<void> {
  const key = `/${target.bucket}/${target.prefix}${name}`;
  const url = new URL(target.endpoint + encodePath(key));
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  const headers = signed(target, { method: 'PUT', url, payloadHash: hash.digest('hex'), nowMs });
  const { size } = await stat(path);
  let answer: Awaited<ReturnType<typeof request>>;
  try {
    const body = createReadStream(path);
    answer = await request(url, { method: 'PUT', body, headers: { ...headers, 'content-length': `${size}` } });
  } catch (cause) {
    const message = `${target.endpoint} cannot be reached: ${(cause as Error).message}`;
    throw new CrawlstreamError('DESTINATION_UNREACHABLE', message, cause);
  }
  const text = await answer.body.text();
  const { statusCode } = answer;
  if (statusCode < 300) return;
  const said = /<Message>([^<]*)/.exec(text)?.[1] ?? text.slice(0, 200);
  const code = statusCode >= 500 || statusCode === 429 ? 'DESTINATION_UNREACHABLE' : 'DESTINATION_REFUSED';
  throw new CrawlstreamError(
    code,
    `${target.endpoint} refused ${name} for bucket ${target.bucket}: ${statusCode} ${said}`,
  );
}

export interface SignedRequest {
  readonly method: string;
  readonly url: URL;
  /** SHA-256 of the body, hexadecimal. */
  readonly payloadHash: string;
  readonly nowMs: number;
  /** Further headers to sign, names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** The headers to send, signature included. */
export function signed(
  { region, accessKeyId, secretAccessKey, sessionToken }: S3Target,
  { method, url, payloadHash, nowMs, headers = {} }: SignedRequest,
): Record<string, string> {
  const time = new Date(nowMs).toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const day = time.slice(0, 8);
  const toSign: Record<string, string> = {
    ...headers,
    host: url.host,
    'x-amz-content-sha256': payloadHash,
    'x-amz-date': time,
    ...(sessionToken !== undefined && { 'x-amz-security-token': sessionToken }),
  };
  const names = Object.keys(toSign).sort();
  const canonical = [
    method,
    url.pathname,
    [...url.searchParams]
      .map(([name, value]) => `${encodePart(name)}=${encodePart(value)}`)
      .sort()
      .join('&'),
    ...names.map((name) => `${name}:${toSign[name]!.trim()}`),
    '',
    names.join(';'),
    payloadHash,
  ].join('\n');
  const scope = `${day}/${region}/s3/aws4_request`;
  const text = ['AWS4-HMAC-SHA256', time, scope, sha256(canonical)].join('\n');
  const signingKey = [day, region, 's3', 'aws4_request'].reduce<Buffer | string>(hmac, `AWS4${secretAccessKey}`);
  const signature = createHmac('sha256', signingKey).update(text).digest('hex');
  const { host: _, ...sent } = toSign;
  const credential = `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope}`;
  return { ...sent, authorization: `${credential},SignedHeaders=${names.join(';')},Signature=${signature}` };
}

function hmac(key: Buffer | string, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function encodePath(path: string): string {
  return path.split('/').map(encodePart).join('/');
}

/** RFC 3986's unreserved characters stay. */
function encodePart(text: string): string {
  return encodeURIComponent(text).replaceAll(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}
