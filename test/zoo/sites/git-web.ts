/** A repository of forty commits behind gitweb and behind cgit. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { debianPackage } from '../../../lab/bench/content/debian-package.ts';
import { proseOf } from '../../../lab/pages/prose.ts';
import type { ZooSite } from '../site.ts';
import { serveCgi } from './cgi.ts';

const commits = 40;
const files = 12;

export const gitweb: ZooSite = {
  name: 'gitweb',
  kind: 'dynamic',
  start: () =>
    withRepository(async (own) => {
      // Its pages ask crawlers to follow no links; where an operator lifts that, it is a maze.
      const script = join(own, 'gitweb.cgi');
      const packaged = readFileSync(join(debianPackage('git'), 'usr/share/gitweb/gitweb.cgi'), 'utf8');
      writeFileSync(script, packaged.replaceAll('index, nofollow', 'index, follow'));
      const configuration = join(own, 'gitweb.conf');
      writeFileSync(configuration, `$projectroot = "${own}";\n$feature{'pathinfo'}{'default'} = [0];\n`);
      const library = join(debianPackage('libcgi-pm-perl'), 'usr/share/perl5');
      const env = { PATH: process.env['PATH'], PERL5LIB: library, GITWEB_CONFIG: configuration };
      return serveCgi('perl', [script], env, '');
    }),
};

export const cgit: ZooSite = {
  name: 'cgit',
  kind: 'dynamic',
  start: () =>
    withRepository(async (own) => {
      const configuration = join(own, 'cgitrc');
      writeFileSync(configuration, `robots=index, follow\nvirtual-root=/\nenable-blame=1\nscan-path=${own}\n`);
      const library = join(debianPackage('liblua5.1-0'), 'usr/lib/x86_64-linux-gnu');
      const env = { PATH: process.env['PATH'], CGIT_CONFIG: configuration, LD_LIBRARY_PATH: library };
      return serveCgi(join(debianPackage('cgit'), 'usr/lib/cgit/cgit.cgi'), [], env, '');
    }),
};

async function withRepository(serve: (own: string) => ReturnType<ZooSite['start']>): ReturnType<ZooSite['start']> {
  const own = mkdtempSync(join(tmpdir(), 'crawlstream-zoo-'));
  const remove = () => rmSync(own, { recursive: true, force: true });
  try {
    makeRepository(own);
    const site = await serve(own);
    return {
      url: site.url,
      stop: async () => {
        await site.stop();
        remove();
      },
    };
  } catch (error) {
    remove();
    throw error;
  }
}

function makeRepository(own: string): void {
  const work = join(own, '.work');
  mkdirSync(join(work, 'src'), { recursive: true });
  const who = ['-c', 'user.name=Zoo', '-c', 'user.email=zoo@example.org', '-c', 'commit.gpgsign=false'];
  const git = (...args: string[]) => execFileSync('git', [...who, ...args], { cwd: work, stdio: 'ignore' });
  git('init', '-q', '-b', 'main');
  for (let n = 0; n < commits; n++) {
    writeFileSync(join(work, 'src', `file${n % files}.txt`), `${proseOf(n, 80).replaceAll(' ', '\n')}\n`);
    git('add', '.');
    git('commit', '-q', '-m', `Change ${n}: ${proseOf(n + 900, 6)}`);
  }
  execFileSync('git', ['clone', '-q', '--bare', work, join(own, 'rivers.git')], { stdio: 'ignore' });
  rmSync(work, { recursive: true });
}
