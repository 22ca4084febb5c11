/** Manuals as files, behind nginx. */
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { debianPackage } from '../../../lab/bench/content/debian-package.ts';
import { loopbackPort } from '../loopback-port.ts';
import { startServer } from '../server-process.ts';
import type { ZooSite } from '../site.ts';

export const staticDocs: readonly ZooSite[] = [
  docs('python', () => join(debianPackage('python3.11-doc'), 'usr/share/doc/python3.11/html')),
  docs('postgresql', () => join(debianPackage('postgresql-doc-15'), 'usr/share/doc/postgresql-doc-15/html')),
  docs('httpd', () => join(debianPackage('apache2-doc'), 'usr/share/doc/apache2-doc/manual')),
  docs('handbook', () => join(debianPackage('debian-handbook'), 'usr/share/doc/debian-handbook/html')),
  docs('rust', () => join(debianPackage('rust-doc'), 'usr/share/doc/rust-doc/html')),
  docs('doxygen', () => join(debianPackage('libeigen3-doc'), 'usr/share/doc/libeigen3-dev/html')),
  docs('gtk-doc', () => join(debianPackage('libglib2.0-doc'), 'usr/share/gtk-doc/html')),
  docs('erlang', () => join(debianPackage('erlang-doc'), 'usr/share/doc/erlang-doc')),
  docs('sqlite', () => join(debianPackage('sqlite3-doc'), 'usr/share/doc/sqlite3')),
];

function docs(name: string, folder: () => string): ZooSite {
  return {
    name,
    kind: 'static',
    start: async () => {
      const root = realpathSync(folder());
      const nginx = join(debianPackage('nginx'), 'usr/sbin/nginx');
      const own = mkdtempSync(join(tmpdir(), 'crawlstream-zoo-'));
      const port = await loopbackPort();
      writeFileSync(join(own, 'nginx.conf'), configuration(own, root, port));
      const url = `http://127.0.0.1:${port}/`;
      const stop = await startServer(url, nginx, ['-p', own, '-c', join(own, 'nginx.conf'), '-e', join(own, 'log')]);
      return {
        url,
        stop: async () => {
          await stop();
          rmSync(own, { recursive: true, force: true });
        },
      };
    },
  };
}

function configuration(own: string, root: string, port: number): string {
  const types =
    'text/html html htm; text/css css; application/javascript js; image/png png; image/svg+xml svg; text/plain txt;';
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  return `daemon off; master_process off; error_log ${own}/log; pid ${own}/pid;
    events { worker_connections 128; }
    http { types { ${types} } default_type application/octet-stream; access_log off;
      ${temporary.map((name) => `${name}_temp_path ${own}/${name};`).join(' ')}
      server { listen 127.0.0.1:${port}; root ${root}; autoindex on; } }`;
}
