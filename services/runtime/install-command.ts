/**
 * The command that installs packages which an installation leaves out (`peerDependencies` of package.json, all
 * optional), for the place of this product, with versions that fit it.
 */
import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { productPackage } from './version.ts';

export interface Installation {
  /** Folder of the product's package.json. */
  readonly folder: string;
  readonly peerDependencies: Readonly<Record<string, string>>;
}

/** `npm ci` in a checkout, which has all of them; `npm install -g` for a global installation. */
export function installCommand(names: readonly string[], product: Installation = productPackage): string {
  const modules = dirname(product.folder);
  if (basename(modules) !== 'node_modules') return 'npm ci';
  const words = ['npm install'];
  if (!existsSync(join(dirname(modules), 'package.json'))) words.push('-g');
  // RocksDB's only script compiles it for half an hour if Node 23 or later cannot load its binary in the way that the
  // script tries.
  if (names.includes('rocksdb')) words.push('--ignore-scripts');
  return [...words, ...names.map((name) => `${name}@${newest(product.peerDependencies[name])}`)].join(' ');
}

/**
 * `^3.1169.0` becomes `3`, `^0.5.29` becomes `0.5`: a shell may interpret the caret, and npm takes the newest
 * matching version.
 */
function newest(range = 'latest'): string {
  if (!range.startsWith('^')) return range;
  const [major = '', minor = ''] = range.slice(1).split('.');
  return major === '0' ? `${major}.${minor}` : major;
}
