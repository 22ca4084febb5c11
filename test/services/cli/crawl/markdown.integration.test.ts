/** Markdown of a page's main text, where a rule asks for it, from a crawl to its export. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { runCommand } from '../../../../lab/process/command.ts';
import { serveSite } from '../../fetcher/loopback.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';

const words = (count: number) => Array.from({ length: count }, (_, n) => `word${n}`).join(' ');

const page = `<title>Pumps</title><nav><a href="/">Home</a> <a href="/shop">Shop</a></nav>
<article><h1>Pumps</h1><p>${words(60)}, see <a href="/valves">valves</a>.</p>
<ul><li>first of all</li><li>then the rest</li></ul><pre><code>pump --start</code></pre>
<table><tr><th>size</th><th>flow</th></tr><tr><td>small</td><td>3</td></tr></table><p>${words(60)}.</p></article>`;

test('headings, links, lists, code and tables of the main text are Markdown in the export, navigation is dropped', async (t) => {
  const site = await serveSite(t, ({ url = '/' }, response) => {
    if (url !== '/') return response.writeHead(404).end();
    response.setHeader('content-type', 'text/html');
    return response.end(page);
  });
  const folder = temporaryFolder();
  const data = ['--data', join(folder, 'data')];
  const rules = join(folder, 'extract.yaml');
  await writeFile(rules, 'markdown: true\n');
  const seed = `http://127.0.0.1:${site.port}/`;
  const crawl = await runCommand(['crawl', seed, '--allow-private', '--delay', '0', '--extract', rules, ...data]);
  assert.equal(crawl.code, 0, crawl.stderr);
  const { stdout } = await runCommand(['export', 'pages', '--format', 'jsonl', ...data]);
  const { markdown } = JSON.parse(stdout.trim().split('\n')[0]!) as { markdown: string };
  assert.match(markdown, /^# Pumps\n/);
  assert.ok(markdown.includes(`[valves](${seed}valves)`), markdown);
  assert.match(markdown, /\n- first of all\n- then the rest\n/);
  assert.match(markdown, /```\npump --start\n```/);
  assert.match(markdown, /\| size \| flow \|\n\| -+ \| -+ \|\n\| small \| 3 \|/);
  assert.doesNotMatch(markdown, /Home|Shop/);
});
