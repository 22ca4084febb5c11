/**
 * `doctor --bundle`: writes the facts that a maintainer needs into one JSON file. Values that may be secret are left
 * out.
 */

import { readFile } from 'node:fs/promises';
import { arch, cpus, hostname, platform, release, totalmem, userInfo } from 'node:os';
import { join } from 'node:path';
import type { Finding } from '../../application/extension/finding.ts';
import { readRequest } from '../../hosting/connect/crawl-folder.ts';
import { writeNamedFile } from '../../runtime/disk/named-file.ts';

/** Names of options and variables with values that are never written. */
const secret = /pass|secret|token|key|auth|cookie|credential|user(name)?$|login|sasl|jaas/i;
/** In an address: user and password. */
const credentials = /\b(\w{1,20}:\/\/)[^/\s]*@/g;

export interface BundleParts {
  readonly version: string;
  readonly findings: readonly Finding[];
  readonly data: string | undefined;
  readonly env: NodeJS.ProcessEnv;
  readonly atMs: number;
}

export async function writeBundle(file: string, parts: BundleParts): Promise<void> {
  await writeNamedFile(file, `${JSON.stringify(await bundleOf(parts), null, 2)}\n`);
}

export async function bundleOf({ version, findings, data, env, atMs }: BundleParts) {
  const ours = Object.entries(env).filter(([name]) => name.startsWith('CRAWLSTREAM_') || name === 'NODE_OPTIONS');
  const request = data === undefined ? null : await readRequest({ part: (name) => join(data, name) }).catch(() => null);
  const manifest = data === undefined ? null : await readFile(join(data, 'manifest.json'), 'utf8').catch(() => null);
  const bundle = {
    version,
    at: new Date(atMs).toISOString(),
    node: process.version,
    machine: { platform: platform(), release: release(), arch: arch(), cores: cpus().length, memory: totalmem() },
    findings,
    environment: Object.fromEntries(ours),
    crawl: request && { seeds: request.seeds.length, policy: request.policy, options: request.options ?? {} },
    manifest: manifestOf(manifest),
  };
  return withoutSecrets(bundle) as typeof bundle;
}

/**
 * Removes values by their names, with everything below them, credentials in addresses, and the names of this machine
 * and user.
 */
function withoutSecrets(value: unknown, key = '', isSecret = false): unknown {
  if (value === null || value === undefined) return value;
  if (Array.isArray(value)) return value.map((one) => withoutSecrets(one, key, isSecret));
  if (typeof value === 'object') {
    const entries = Object.entries(value);
    return Object.fromEntries(
      entries.map(([name, one]) => [name, withoutSecrets(one, name, isSecret || secret.test(name))]),
    );
  }
  if (isSecret) return '(left out)';
  if (typeof value !== 'string') return value;
  // An option of a plugin may be a password of any name.
  if (key === 'set') return value.replace(/=.*/s, '=(left out)');
  const clean = withoutQueries(value.replaceAll(credentials, '$1'));
  return ownNames()
    .filter((name) => name.length > 2)
    .reduce((text, name) => text.replaceAll(new RegExp(`\\b${escaped(name)}\\b`, 'g'), '(name)'), clean);
}

/** Removes the query of an address, which may contain a key. */
function withoutQueries(text: string): string {
  const words = text.split(/([\s"])/).map((word) => {
    const at = word.includes('://') ? word.indexOf('?') : -1;
    return at < 0 ? word : `${word.slice(0, at)}?(left out)`;
  });
  return words.join('');
}

/** In a container the user may have no name. */
function ownNames(): string[] {
  try {
    return [hostname(), userInfo().username];
  } catch {
    return [hostname()];
  }
}

/** Null: there is none, or it cannot be read. */
function manifestOf(text: string | null): object | null {
  try {
    return text === null ? null : { ...(JSON.parse(text) as object), fingerprintKey: undefined };
  } catch {
    return null;
  }
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
