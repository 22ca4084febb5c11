/**
 * Follows the documentation as somebody who has just come: `npm run docs:check -- [--nodes here,22.20.x,24.19.x]
 * [--from clone,package] [--pages docs/tutorial.md,README.md]`.
 *
 * From a fresh clone with `npm ci`, and from the packed package in an empty folder, under each Node: every command of the
 * blocks of shell is typed as it is written. One that fails, or does not print what its page promises, makes the exit code 1;
 * what is left out is named with its reason. Under `CI`, a Node that can't be had is a failure. https://example.org is served on this machine, on its own ports.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { environmentOf, installCheckout } from '../../nodes/checkout.ts';
import { type FetchedNode, fetchNode } from '../../nodes/fetch-node.ts';
import { type ExampleSite, serveExample } from './example-site.ts';
import { type Counts, followPage } from './follow-page.ts';
import { startKafkaHere } from './kafka-here.ts';
import { followedPages } from './pages.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const { values } = parseArgs({
  options: {
    nodes: { type: 'string', default: 'here,22.20.x,24.19.x' },
    from: { type: 'string', default: 'clone,package' },
    pages: { type: 'string', default: followedPages.join(',') },
  },
});

type From = 'clone' | 'package';

/** Files that a page says the reader has. */
const brought: Readonly<Record<string, string>> = {
  'urls.txt': 'https://example.org/known\n',
  'seeds.csv': 'url,customer\nhttps://example.org/,acme\n',
};

/** A folder with commands named as the pages name them, before all others. */
function commandsOf(fetched: FetchedNode, from: From): string {
  const folder = mkdtempSync(join(tmpdir(), 'crawlstream-commands-'));
  const npm = dirname(fetched.npm);
  const run = { npm: fetched.npm, npx: join(npm, 'npx-cli.js') };
  const put = (name: string, line: string) => {
    writeFileSync(join(folder, name), `#!/bin/sh\nexec ${line} "$@"\n`);
    chmodSync(join(folder, name), 0o755);
  };
  put('node', `'${fetched.node}'`);
  for (const [name, file] of Object.entries(run)) put(name, `'${fetched.node}' '${file}'`);
  // "In a checkout, `crawlstream` is `npm run -s crawlstream --`."
  put('crawlstream', from === 'clone' ? 'npm run -s crawlstream --' : 'npx crawlstream');
  return folder;
}

function install(from: From, fetched: FetchedNode): string {
  if (from === 'clone') return installCheckout(root, fetched);
  const folder = mkdtempSync(join(tmpdir(), 'crawlstream-installed-'));
  const [packed] = JSON.parse(
    execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], {
      cwd: root,
      encoding: 'utf8',
    }),
  ) as [{ readonly filename: string }];
  writeFileSync(join(folder, 'package.json'), '{ "name": "reader", "private": true, "type": "module" }\n');
  writeFileSync(join(folder, '.npmrc'), 'engine-strict=true\n');
  // The services page says that its searches need libsql beside an installed package.
  const packages = [join(folder, packed.filename), 'libsql@0.5'];
  const args = [fetched.npm, 'install', '--no-audit', '--no-fund', ...packages];
  execFileSync(fetched.node, args, {
    cwd: folder,
    env: environmentOf(fetched.node),
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return folder;
}

async function follow(from: From, fetched: FetchedNode, site: ExampleSite): Promise<Counts> {
  const all: Counts = { followed: 0, failed: 0, leftOut: 0 };
  const cwd = install(from, fetched);
  const commands = commandsOf(fetched, from);
  try {
    for (const page of values.pages.split(',')) {
      const before = new Set(readdirSync(cwd));
      for (const [name, text] of Object.entries(brought)) writeFileSync(join(cwd, name), text);
      const { PATH = '', ...rest } = environmentOf(fetched.node);
      const env = { ...rest, ...site.env, PATH: `${commands}${delimiter}${PATH}` };
      // One page's topics are not the next one's.
      let kafka = await startKafkaHere();
      const hasKafka = typeof kafka !== 'string';
      if (!hasKafka) console.log(`without Kafka: ${kafka}`);
      const own = new Set([...before, ...Object.keys(brought)]);
      const stopKafka = async () => void (typeof kafka !== 'string' && (await kafka.stop()));
      const emptyKafka = async () => {
        await stopKafka();
        kafka = await startKafkaHere();
      };
      const followed = { root, page, from, cwd, env, hasKafka, emptyKafka, own, say: console.log };
      const counts = await followPage(followed).finally(stopKafka);
      for (const name of Object.keys(counts) as (keyof Counts)[]) all[name] += counts[name];
      // Each page begins in a clean folder.
      for (const name of readdirSync(cwd))
        if (!before.has(name)) rmSync(join(cwd, name), { recursive: true, force: true });
    }
  } finally {
    for (const folder of [cwd, commands]) rmSync(folder, { recursive: true, force: true });
  }
  return all;
}

/** Of this very process, where it is asked for as `here`. */
function nodeHere(): FetchedNode {
  const beside = join(dirname(process.execPath), '..', 'lib', 'node_modules', 'npm', 'bin', 'npm-cli.js');
  const npm = existsSync(beside) ? beside : (process.env['npm_execpath'] ?? 'npm-cli.js');
  return { version: process.version, node: process.execPath, npm };
}

mkdirSync(tmpdir(), { recursive: true });
const scratch = mkdtempSync(join(tmpdir(), 'crawlstream-docs-'));
const summary: string[] = [];
let failed = false;
const site = await serveExample(scratch);
try {
  for (const version of values.nodes.split(',')) {
    const fetched = version === 'here' ? nodeHere() : fetchNode(version);
    if (typeof fetched === 'string') {
      summary.push(`Node ${version}: skipped, ${fetched}`);
      failed ||= process.env['CI'] !== undefined;
      continue;
    }
    for (const from of values.from.split(',') as From[]) {
      console.log(`\nNode ${fetched.version}, from a ${from}`);
      try {
        const counts = await follow(from, fetched, site);
        failed ||= counts.failed > 0;
        summary.push(
          `Node ${fetched.version}, from a ${from}: ${counts.followed} followed, ${counts.failed} failed, ${counts.leftOut} left out`,
        );
      } catch (error) {
        failed = true;
        summary.push(
          `Node ${fetched.version}, from a ${from}: FAILED before the first page: ${(error as Error).message}`,
        );
      }
    }
  }
} finally {
  site.close();
  rmSync(scratch, { recursive: true, force: true });
}
console.log(`\n${summary.join('\n')}`);
process.exitCode = failed ? 1 : 0;
