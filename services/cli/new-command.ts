/** `crawlstream new NAME`: a project to begin with: settings, a handler of pages, and a test of it. */
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { Command } from 'commander';
import { makeFolders } from '../runtime/disk/make-folders.ts';
import { inShell } from '../runtime/in-shell.ts';
import { toStderr } from '../runtime/logging/door.ts';
import { bad } from '../runtime/option-text.ts';
import { ownName } from '../runtime/own-name.ts';
import { productVersion } from '../runtime/version.ts';
import { contact } from './flags/arguments.ts';
import { print } from './terminal/print.ts';

interface NewFlags {
  readonly contact?: string;
  readonly json?: boolean;
}

export function addNewCommand(program: Command): void {
  program
    .command('new <folder>')
    .description('create a project folder: settings, a page handler, and its test')
    .option(
      '--contact <url|mail>',
      'your web or mail address, sent with each request (default: asked on a terminal)',
      contact('--contact'),
    )
    .option('--json', 'print one line of JSON')
    .action(async (folder: string, { contact: given, json = false }: NewFlags) => {
      const path = resolve(folder);
      const name = basename(path);
      if (existsSync(path) && readdirSync(path).length > 0)
        throw bad('<folder>', folder, 'the folder exists and is not empty; choose a new one');
      if (!/^[a-z0-9][a-z0-9._-]*$/i.test(name))
        throw bad('<folder>', folder, 'use a name of letters, digits, dots and dashes');
      const address = given ?? (json || !process.stdin.isTTY ? undefined : await askContact());
      await makeFolders(path, { recursive: true });
      const made = Object.entries(filesOf(name.toLowerCase(), address));
      for (const [file, text] of made) writeFileSync(join(path, file), text, { flag: 'wx' });
      const text = [
        `${made.map(([file]) => file).join(', ')} are in ${path}. Next:`,
        `  cd ${inShell(folder)} && npm install && npm test`,
        address === undefined
          ? '  edit crawlstream.yaml: give your contact, without which no crawl of the web starts'
          : '  edit crawlstream.yaml: what to crawl',
        `  ${ownName()} crawl https://example.org --config crawlstream.yaml`,
      ].join('\n');
      print({ json: { folder: path, files: made.map(([file]) => file) }, text }, json);
    });
}

/** Undefined: the person gave none. */
async function askContact(): Promise<string | undefined> {
  const prompt = 'Your web or mail address, where webmasters can reach you (Enter: later): ';
  const terminal = createInterface({ input: process.stdin, output: process.stderr, prompt });
  terminal.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  try {
    terminal.prompt();
    for await (const line of terminal) {
      const typed = line.trim();
      if (typed === '') return undefined;
      try {
        return contact('The address')(typed);
      } catch (error) {
        toStderr(`${(error as Error).message}\n`);
      }
      terminal.prompt();
    }
    return undefined;
  } finally {
    terminal.close();
  }
}

function filesOf(name: string, address: string | undefined): Readonly<Record<string, string>> {
  const manifest = {
    name,
    private: true,
    type: 'module',
    scripts: { crawl: 'crawlstream crawl --config crawlstream.yaml', test: 'node --test' },
    dependencies: { crawlstream: `^${productVersion}` },
  };
  return {
    'package.json': `${JSON.stringify(manifest, null, 2)}\n`,
    'crawlstream.yaml': settings(name, address),
    'handler.mjs': handler,
    'handler.test.mjs': handlerTest,
    '.gitignore': 'node_modules/\ncrawl-data/\npages.jsonl\n',
    'README.md': readme(name),
  };
}

const settings = (
  name: string,
  address: string | undefined,
) => `# Every flag of crawlstream crawl can stand here (crawlstream config init lists them all).
# Sent with each request, so that webmasters can reach you.
${address === undefined ? '# contact: your web or mail address' : `contact: ${JSON.stringify(address)}`}
data: crawl-data/${name}
maxPages: 100
delay: 1s
scope: domain
# exclude: ['/login', '[?&]sort=']
handler: handler.mjs
`;

const handler = `// Gets each page of the crawl, in order of arrival; the crawl waits for what it returns. After a crash a page may come
// twice: url and fetchedAtMs identify it. If it throws, the page is retried, and then the crawl stops.
import { appendFile } from 'node:fs/promises';

/** @param {import('crawlstream/consumer').Page} page */
export default async function onPage(page) {
  const row = rowOf(page);
  if (row !== null) await appendFile('pages.jsonl', \`\${JSON.stringify(row)}\\n\`);
}

/** The stored fields of a page; null: nothing. */
export function rowOf(page) {
  if (page.noindex) return null;
  return { url: page.url, title: page.title, words: page.text.split(/\\s+/).filter(Boolean).length };
}
`;

const handlerTest = `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rowOf } from './handler.mjs';

const page = { url: 'https://example.org/', title: 'Home', text: 'three words here', noindex: false };

test('a page gives its title and how many words it has', () => {
  assert.deepEqual(rowOf(page), { url: page.url, title: 'Home', words: 3 });
});

test('a page that asks not to be indexed gives nothing', () => {
  assert.equal(rowOf({ ...page, noindex: true }), null);
});
`;

const readme = (name: string) => `# ${name}

\`\`\`sh
npm install
npm test
npx crawlstream crawl https://example.org --config crawlstream.yaml
npx crawlstream pages --failed --data crawl-data/${name}
\`\`\`

Rows come into \`pages.jsonl\`. Ctrl-C is safe; the same command goes on.
`;
