/**
 * What brings a package that an installation leaves out (`peerDependencies` of package.json, all optional): the command
 * for the place where this product stands, with the versions that fit it.
 */
import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { productPackage } from './version.ts';

export interface Installation {
  /** Of the product's package.json. */
  readonly folder: string;
  readonly peerDependencies: Readonly<Record<string, string>>;
}

/** `npm ci` in a checkout, which has all of them; `npm install -g` where it stands among the global packages. */
export function installCommand(names: readonly string[], product: Installation = productPackage): string {
  const modules = dirname(product.folder);
  if (basename(modules) !== 'node_modules') return 'npm ci';
  const words = ['npm install'];
  if (!existsSync(join(dirname(modules), 'package.json'))) words.push('-g');
  // Its only script compiles RocksDB for half an hour where Node 23 or later can't load its binary as the script tries it.
  if (names.includes('rocksdb')) words.push('--ignore-scripts');
  return [...words, ...names.map((name) => `${name}@${newest(product.peerDependencies[name])}`)].join(' ');
}

/** `^3.1169.0` as `3`, `^0.5.29` as `0.5`: a shell may make something of the sign, and npm takes the newest of those. */
function newest(range = 'latest'): string {
  if (!range.startsWith('^')) return range;
  const [major = '', minor = ''] = range.slice(1).split('.');
  return major === '0' ? `${major}.${minor}` : major;
}
