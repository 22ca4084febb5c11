/** Reads or creates the secret that authenticates the tokens of the webmaster page. */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeFile, makeFolder } from '../../runtime/disk/durable-names.ts';
import { bad } from '../../runtime/option-text.ts';
import { readSecret } from '../../runtime/secret.ts';

/** Shorter secrets can be guessed. */
const charsMin = 32;

/**
 * `reference`: env:NAME or file:PATH. Undefined: the secret in `file`, which is created if missing. Throws
 * INVALID_ARGUMENT.
 */
export async function deskSecret(reference: string | undefined, file: string): Promise<string> {
  if (reference === undefined && !existsSync(file)) {
    await makeFolder(dirname(file));
    const made = `${randomBytes(32).toString('hex')}\n`;
    // If two processes start at once, one creates the file, and the other reads it.
    await makeFile(file, made, `${process.pid}`, { mode: 0o600 });
  }
  const [, kind, name = ''] = /^(env|file):(.+)$/.exec(reference ?? `file:${file}`) ?? [];
  if (kind === undefined) throw bad('--secret', reference!, 'write it as env:NAME or file:PATH');
  const secret = readSecret(kind === 'env' ? { env: name } : { file: name }, '--secret');
  if (secret.length >= charsMin) return secret;
  throw bad(
    '--secret',
    reference ?? file,
    `use at least ${charsMin} characters, as in the output of openssl rand -hex 32`,
  );
}
