/**
 * Makes the token of Amazon MSK's IAM login over OAUTHBEARER: the signed URL of an action that is never called, in
 * base64url, as in AWS's signers (github.com/aws/aws-msk-iam-sasl-signer-js). The signature is Signature Version 4 in a
 * query (docs.aws.amazon.com, "Create a signed AWS API request").
 */
import { createHash, createHmac } from 'node:crypto';

export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Session token of a role. Absent: the credentials are a user's. */
  readonly sessionToken?: string | undefined;
}

/** The longest validity that brokers accept, s. It bounds the start of a login, not its duration. */
const expiresSeconds = 900;
const service = 'kafka-cluster';

export function mskToken(region: string, credentials: AwsCredentials, nowMs: number, userAgent: string): string {
  const { accessKeyId, secretAccessKey, sessionToken } = credentials;
  const time = new Date(nowMs).toISOString().replaceAll(/[-:]|\.\d{3}/g, '');
  const scope = `${time.slice(0, 8)}/${region}/${service}/aws4_request`;
  const host = `kafka.${region}.amazonaws.com`;
  const parameters: Record<string, string> = {
    Action: 'kafka-cluster:Connect',
    'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
    'X-Amz-Credential': `${accessKeyId}/${scope}`,
    'X-Amz-Date': time,
    'X-Amz-Expires': `${expiresSeconds}`,
    ...(sessionToken !== undefined && { 'X-Amz-Security-Token': sessionToken }),
    'X-Amz-SignedHeaders': 'host',
  };
  const query = Object.entries(parameters)
    .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
    .join('&');
  const canonical = ['GET', '/', query, `host:${host}\n`, 'host', sha256('')].join('\n');
  const toSign = ['AWS4-HMAC-SHA256', time, scope, sha256(canonical)].join('\n');
  const key = scope.split('/').reduce<Buffer | string>((before, part) => hmac(before, part), `AWS4${secretAccessKey}`);
  const signed = `${query}&X-Amz-Signature=${hmac(key, toSign).toString('hex')}`;
  // The user agent follows the signature, which does not cover it: it is only for the brokers' logs.
  return Buffer.from(`https://${host}/?${signed}&User-Agent=${encoded(userAgent)}`).toString('base64url');
}

/** Encodes as in RFC 3986: `encodeURIComponent` leaves five more characters unchanged. */
function encoded(text: string): string {
  return encodeURIComponent(text).replaceAll(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function hmac(key: Buffer | string, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
