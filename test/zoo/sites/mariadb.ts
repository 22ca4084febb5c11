/** A MariaDB of its own behind a socket, without accounts, for programs that know no other database. */
import { mkdirSync } from 'node:fs';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { debianPackage } from '../../../lab/bench/content/debian-package.ts';
import { runProcess } from '../server-process.ts';

export interface Mariadb {
  readonly socket: string;
  stop(): Promise<void>;
}

export async function mariadb(own: string): Promise<Mariadb> {
  const data = join(own, 'mariadb');
  mkdirSync(data, { recursive: true });
  const socket = join(own, 'mariadb.socket');
  const files = debianPackage('mariadb-server-core');
  const library = ['liburing2', 'libaio1']
    .map((name) => join(debianPackage(name), 'usr/lib/x86_64-linux-gnu'))
    .join(':');
  const below = ['libaio1', 'liburing2'].map((name) => join(debianPackage(name), 'lib/x86_64-linux-gnu')).join(':');
  const args = [
    '--no-defaults',
    `--datadir=${data}`,
    `--socket=${socket}`,
    `--pid-file=${join(own, 'mariadb.pid')}`,
    `--lc-messages-dir=${join(files, 'usr/share/mysql')}`,
    `--character-sets-dir=${join(files, 'usr/share/mysql/charsets')}`,
    ...['--skip-networking', '--skip-grant-tables', '--innodb-flush-method=fsync', '--innodb-use-native-aio=0'],
    ...(process.getuid?.() === 0 ? ['--user=root'] : []),
  ];
  const env = { PATH: process.env['PATH'], LD_LIBRARY_PATH: `${library}:${below}` };
  const stop = await runProcess(join(files, 'usr/sbin/mariadbd'), args, env, () => answers(socket));
  return { socket, stop };
}

function answers(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const connection = createConnection(socket)
      .once('data', () => {
        connection.destroy();
        resolve(true);
      })
      .once('error', () => resolve(false));
  });
}
