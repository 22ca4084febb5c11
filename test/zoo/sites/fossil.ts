/** Fossil: forty commits, wiki pages and tickets in one file, served by its own server. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { debianPackage } from '../../../lab/bench/content/debian-package.ts';
import { proseOf } from '../../../lab/pages/prose.ts';
import { loopbackPort } from '../loopback-port.ts';
import { startServer } from '../server-process.ts';
import type { ZooSite } from '../site.ts';

const commits = 40;
const files = 12;
const wikiPages = 20;
const tickets = 10;

export const fossil: ZooSite = {
  name: 'fossil',
  kind: 'dynamic',
  start: async () => {
    const program = join(debianPackage('fossil'), 'usr/bin/fossil');
    const own = mkdtempSync(join(tmpdir(), 'crawlstream-zoo-'));
    const away = () => rmSync(own, { recursive: true, force: true });
    const library = join(debianPackage('libfuse2'), 'lib/x86_64-linux-gnu');
    const env = { ...process.env, FOSSIL_HOME: own, LD_LIBRARY_PATH: library };
    try {
      const repository = join(own, 'rivers.fossil');
      fill(program, own, repository, { ...env, FOSSIL_USER: 'keeper' });
      const port = await loopbackPort();
      const url = `http://127.0.0.1:${port}/`;
      const stop = await startServer(url, program, ['server', '--port', `${port}`, '--localhost', repository], env);
      return { url, stop: () => stop().then(away) };
    } catch (error) {
      away();
      throw error;
    }
  },
};

function fill(program: string, own: string, repository: string, env: NodeJS.ProcessEnv): void {
  const work = join(own, 'work');
  mkdirSync(join(work, 'src'), { recursive: true });
  const run = (args: readonly string[], input = '') =>
    execFileSync(program, args, { cwd: work, env, input, stdio: ['pipe', 'ignore', 'pipe'] });
  run(['init', '-A', 'keeper', repository]);
  run(['open', '-f', '--workdir', work, repository]);
  // Without this right, links are hidden from whoever has no account.
  run(['user', 'capabilities', 'nobody', 'ghjorz']);
  for (let n = 0; n < commits; n++) {
    writeFileSync(join(work, 'src', `file${n % files}.txt`), `${proseOf(n, 80).replaceAll(' ', '\n')}\n`);
    run(['add', 'src']);
    run(['commit', '--no-warnings', '-m', `Change ${n}: ${proseOf(n + 900, 6)}`]);
  }
  for (let n = 0; n < wikiPages; n++) {
    const links = [1, 2, 3].map((step) => `[River${(n * step + step) % wikiPages}]`).join(' ');
    run(['wiki', 'create', `River${n}`], `<h1>River ${n}</h1>\n<p>${proseOf(n, 150)}</p>\n<p>${links}</p>\n`);
  }
  for (let n = 0; n < tickets; n++)
    run(['ticket', 'add', 'title', proseOf(n + 4_000, 6), 'status', 'Open', 'comment', proseOf(n + 5_000, 60)]);
}
