/**
 * Signs webhooks by Standard Webhooks 1.0 (github.com/standard-webhooks/standard-webhooks, spec): HMAC-SHA256 of
 * `id.timestamp.body`, in the header `webhook-signature` as `v1,` and Base64.
 */
import { createHmac } from 'node:crypto';

const prefix = 'whsec_';
const [bytesMin, bytesMax] = [24, 64];

export function isSecret(text: string): boolean {
  if (!text.startsWith(prefix)) return false;
  const base64 = text.slice(prefix.length);
  const key = Buffer.from(base64, 'base64');
  // Node also decodes invalid Base64, up to the first fault.
  return key.toString('base64') === base64 && key.length >= bytesMin && key.length <= bytesMax;
}

/** Returns the signed headers. `id`: without a full stop. `atMs`: time of this attempt, ms since the Unix epoch. */
export function signedHeaders(secret: string, id: string, atMs: number, body: string): Record<string, string> {
  const seconds = `${Math.floor(atMs / 1_000)}`;
  const key = Buffer.from(secret.slice(prefix.length), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': seconds, 'webhook-signature': `v1,${signature}` };
}
