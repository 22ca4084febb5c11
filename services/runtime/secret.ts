/**
 * Secrets in configuration: by reference only, so that a file can be shown, committed and mounted without one.
 *
 * `{ env: NAME }` is the environment variable NAME; `{ file: PATH }` a file's text without its last line break, as
 * Kubernetes and Docker mount secrets. A literal is refused.
 */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { CrawlstreamError } from '../../topology/errors.ts';

export const secretSchema = z.union(
  [z.strictObject({ env: z.string().min(1) }), z.strictObject({ file: z.string().min(1) })],
  { error: 'write a secret as a reference: { env: NAME } or { file: PATH }' },
);

export type Secret = z.infer<typeof secretSchema>;

/** Throws INVALID_ARGUMENT with `field` and the missing part. */
export function readSecret(secret: Secret, field: string, env: NodeJS.ProcessEnv = process.env): string {
  if ('env' in secret) {
    const value = env[secret.env];
    if (value !== undefined && value !== '') return value;
    throw new CrawlstreamError('INVALID_ARGUMENT', `${field}: the environment variable ${secret.env} is not set`);
  }
  try {
    return readFileSync(secret.file, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const why = code === 'EISDIR' ? `${secret.file} is a folder: give the file that contains the secret` : message;
    throw new CrawlstreamError('INVALID_ARGUMENT', `${field}: ${why}`, error);
  }
}
