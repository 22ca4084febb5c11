/**
 * The tutorial, the README and the pages it leads to, followed as they are written: each block of shell, line by line, in one
 * folder. The site they speak of is a synthetic one at this machine, which is all that is put in its place.
 */
import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { runCommand } from '../../lab/process/command.ts';
import { serveSite } from '../services/fetcher/loopback.ts';
import { temporaryFolder } from '../services/runtime/store/temporary-folder.ts';
import { writtenCommands } from './written-commands.ts';

/** Commands of another kind: they need a broker, a browser, a bucket, a file or a site that text speaks of, or never end. */
const elsewhere =
  /--brokers|--registry|s3:\/\/|--with render|--otlp|--url |^judge|^config|^urlfrontier|^dashboard|^identity check|statement\.json|--help/;

test('every command of the tutorial, and the single-machine ones of README, operations and politeness, end well', async (t) => {
  const site = await serveSite(t, (request, response) => {
    if (request.url === '/robots.txt') return response.writeHead(404).end();
    if (request.url === '/missing') return response.writeHead(500).end();
    response.setHeader('content-type', 'text/html');
    const number = Number(request.url?.slice(1)) || 0;
    const on = number < 8 ? `<a href="/${number + 1}">on</a>` : '<a href="/missing">gone</a>';
    return response.end(`<title>Page ${number}</title><p>A harbor in documents</p>${on}`);
  });
  const host = `example.org:${site.port}`;
  const cwd = temporaryFolder();
  const env = {
    ...process.env,
    CRAWLSTREAM_RESOLVE: `example.org:${site.port}:127.0.0.1`,
    CRAWLSTREAM_DELAY: '5ms',
    CRAWLSTREAM_RETRIES: '0.1s',
  };
  const words = (written: readonly string[]) =>
    written.map((word, at) => {
      if (word.startsWith('https://example.org')) return word.replace('https://example.org', `http://${host}`);
      // A host as an argument, not the folder of the crawl.
      return word === 'example.org' && written[at - 1] !== '--data' ? host : word;
    });
  writeFileSync(join(cwd, 'urls.txt'), `http://${host}/known\n`);
  let run = 0;
  for (const page of ['docs/tutorial.md', 'README.md', 'docs/operations.md', 'docs/politeness.md']) {
    for (const command of writtenCommands(page).filter(({ inBlock, inImage }) => inBlock && !inImage)) {
      if (elsewhere.test(command.words.join(' '))) continue;
      const ended = await runCommand(words(command.words), { cwd, env });
      assert.equal(ended.code, 0, `${command.place}: ${command.words.join(' ')}\n${ended.stderr}\n${ended.stdout}`);
      run += 1;
    }
  }
  assert.ok(run >= 30, `${run} commands`);
  assert.ok(existsSync(join(cwd, 'pages.parquet')));
});
