/** PHP's own server with what wikis and blogs need of its extensions, from packages that are not installed. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { debianPackage } from '../../../lab/bench/content/debian-package.ts';

const packages = ['php8.2-common', 'php8.2-xml', 'php8.2-mbstring', 'php8.2-sqlite3', 'php8.2-intl', 'php8.2-mysql'];
const libraries = ['libsodium23', 'libargon2-1', 'libonig5'];
/** In the order in which they may be loaded. */
const extensions =
  'iconv ctype tokenizer fileinfo posix calendar gettext exif intl mbstring pdo sqlite3 pdo_sqlite mysqlnd mysqli dom simplexml xml xmlreader xmlwriter'.split(
    ' ',
  );

export interface Php {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  run(args: readonly string[]): void;
  /** Once its processes have ended. */
  remove(): void;
}

export function php(): Php {
  const folder = mkdtempSync(join(tmpdir(), 'crawlstream-zoo-php-'));
  for (const name of packages) {
    const below = join(debianPackage(name), 'usr/lib/php');
    for (const api of readdirSync(below).filter((entry) => /^\d+$/.test(entry)))
      for (const file of readdirSync(join(below, api)))
        if (!existsSync(join(folder, file))) symlinkSync(join(below, api, file), join(folder, file));
  }
  const command = join(debianPackage('php8.2-cli'), 'usr/bin/php8.2');
  const args = [
    '-n',
    '-d',
    `extension_dir=${folder}`,
    '-d',
    `session.save_path=${folder}`,
    '-d',
    'memory_limit=512M',
    '-d',
    'display_errors=stderr',
  ];
  for (const name of extensions) args.push('-d', `extension=${name}`);
  const library = libraries.map((name) => join(debianPackage(name), 'usr/lib/x86_64-linux-gnu')).join(':');
  const env = { PATH: process.env['PATH'], LD_LIBRARY_PATH: library, PHP_CLI_SERVER_WORKERS: '2' };
  return {
    ...{ command, args, env },
    run: (more) => void execFileSync(command, [...args, ...more], { env, stdio: ['ignore', 'ignore', 'pipe'] }),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
