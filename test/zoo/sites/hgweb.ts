/** A repository of twenty commits behind Mercurial's own server. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { debianPackage } from '../../../lab/bench/content/debian-package.ts';
import { proseOf } from '../../../lab/pages/prose.ts';
import { loopbackPort } from '../loopback-port.ts';
import { startServer } from '../server-process.ts';
import type { ZooSite } from '../site.ts';

const commits = 20;
const files = 6;
/** Its modules are compiled for Debian's own. */
const python = '/usr/bin/python3';

export const hgweb: ZooSite = {
  name: 'hgweb',
  kind: 'dynamic',
  start: async () => {
    const program = join(debianPackage('mercurial'), 'usr/bin/hg');
    const own = mkdtempSync(join(tmpdir(), 'crawlstream-zoo-'));
    const away = () => rmSync(own, { recursive: true, force: true });
    const library = join(own, '.lib');
    const env = { ...process.env, PYTHONPATH: library, HGPLAIN: '1', HGRCPATH: '' };
    try {
      // Two packages make one of Python's.
      for (const name of ['mercurial-common', 'mercurial'])
        cpSync(join(debianPackage(name), 'usr/lib/python3/dist-packages'), library, { recursive: true });
      mkdirSync(join(own, 'src'));
      const hg = (...args: string[]) => execFileSync(python, [program, ...args], { cwd: own, env, stdio: 'ignore' });
      hg('init');
      writeFileSync(join(own, '.hgignore'), '^\\.(lib|templates)/\n');
      for (let n = 0; n < commits; n++) {
        writeFileSync(join(own, 'src', `file${n % files}.txt`), `${proseOf(n, 80).replaceAll(' ', '\n')}\n`);
        hg('commit', '--addremove', '-u', 'Zoo', '-m', `Change ${n}: ${proseOf(n + 900, 6)}`);
      }
      // Its pages ask crawlers to follow no links; where an operator lifts that, it is a maze.
      const templates = join(own, '.templates');
      cpSync(join(library, 'mercurial/templates'), templates, { recursive: true });
      for (const style of ['paper', 'gitweb', 'monoblue', 'spartan', 'coal']) {
        const header = join(templates, style, 'header.tmpl');
        writeFileSync(header, readFileSync(header, 'utf8').replaceAll('nofollow', 'follow'));
      }
      const port = await loopbackPort();
      const url = `http://127.0.0.1:${port}/`;
      const serving = [
        program,
        'serve',
        '--port',
        `${port}`,
        '--address',
        '127.0.0.1',
        '--cwd',
        own,
        ...['--config', `web.templates=${templates}`, '--config', 'web.name=Rivers'],
      ];
      const stop = await startServer(url, python, serving, env);
      return { url, stop: () => stop().then(away) };
    } catch (error) {
      away();
      throw error;
    }
  },
};
