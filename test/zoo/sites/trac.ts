/** Trac on SQLite: its own wiki pages, forty of ours saved twice, thirty tickets, and no repository. Debian has it no more. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pythonEnvironment } from '../../../lab/bench/content/python-environment.ts';
import { proseOf } from '../../../lab/pages/prose.ts';
import { loopbackPort } from '../loopback-port.ts';
import { startServer } from '../server-process.ts';
import type { ZooSite } from '../site.ts';

const pages = 40;
const tickets = 30;

export const trac: ZooSite = {
  name: 'trac',
  kind: 'dynamic',
  start: async () => {
    // Trac asks for pkg_resources, which newer releases of setuptools have no more.
    const environment = pythonEnvironment('trac', ['Trac==1.6', 'setuptools<80']);
    const own = mkdtempSync(join(tmpdir(), 'crawlstream-zoo-'));
    const away = () => rmSync(own, { recursive: true, force: true });
    try {
      const project = join(own, 'project');
      const run = (command: string, ...args: string[]) =>
        void execFileSync(join(environment, 'bin', command), args, { stdio: ['ignore', 'ignore', 'pipe'] });
      run('trac-admin', project, 'initenv', 'Waters', 'sqlite:db/trac.db');
      writeFileSync(join(own, 'fill.py'), filling(project, texts(), ticketTexts()));
      run('python', join(own, 'fill.py'));
      const port = await loopbackPort();
      const url = `http://127.0.0.1:${port}/project/wiki`;
      const serving = ['--hostname=127.0.0.1', `--port=${port}`, '--http11', project];
      const stop = await startServer(url, join(environment, 'bin/tracd'), serving);
      return { url, stop: () => stop().then(away) };
    } catch (error) {
      away();
      throw error;
    }
  },
};

function texts(): [name: string, before: string, after: string][] {
  return Array.from({ length: pages }, (_, n) => {
    const links = [1, 2, 3].map((step) => `[wiki:River${(n * step + step) % pages}]`).join(' ');
    const text = `= River ${n}: ${proseOf(n + 2_000, 4)} =\n\n${proseOf(n, 150)}\n\n${links} [wiki:Missing${n}]\n`;
    return [`River${n}`, text, `${text}\n${proseOf(n + 3_000, 20)}\n`];
  });
}

function ticketTexts(): [summary: string, description: string][] {
  return Array.from({ length: tickets }, (_, n) => [proseOf(n + 4_000, 6), proseOf(n + 5_000, 60)]);
}

function filling(project: string, wiki: readonly unknown[], tracker: readonly unknown[]): string {
  return `import json
from trac.env import Environment
from trac.wiki.model import WikiPage
from trac.ticket.model import Ticket
env = Environment(${JSON.stringify(project)})
wiki = json.loads(${JSON.stringify(JSON.stringify(wiki))})
for name, before, after in wiki:
    for text in (before, after):
        page = WikiPage(env, name)
        page.text = text
        page.save('keeper', 'saved')
start = WikiPage(env, 'WikiStart')
start.text += '\\n' + '\\n'.join(' * [wiki:%s]' % name for name, _, _ in wiki)
start.save('keeper', 'list')
for summary, description in json.loads(${JSON.stringify(JSON.stringify(tracker))}):
    ticket = Ticket(env)
    ticket['summary'] = summary
    ticket['description'] = description
    ticket['status'] = 'new'
    ticket['type'] = 'defect'
    ticket['component'] = 'component1'
    ticket['milestone'] = 'milestone1'
    ticket['reporter'] = 'keeper'
    ticket.insert()
`;
}
