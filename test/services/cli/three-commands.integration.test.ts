/**
 * Somebody who has never seen it asks which pages failed, and why: nothing is typed but what the program printed before, and
 * each answer says the next command.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { serveSite } from '../fetcher/loopback.ts';
import { temporaryFolder } from '../runtime/store/temporary-folder.ts';

const main = fileURLToPath(new URL('../../../dist/bundle/crawlstream.js', import.meta.url));

test('finding failed pages and their reasons takes three commands, and each names the next', async (t) => {
  const site = await serveSite(t, (request, response) => {
    if (request.url === '/robots.txt') return response.end('User-agent: *\nDisallow: /private/');
    if (request.url?.startsWith('/broken')) return response.writeHead(500).end();
    if (request.url !== '/') return response.writeHead(404).end();
    response.setHeader('content-type', 'text/html');
    const links = ['/gone', '/private/x', "/broken?a=1&b='2'"].map((url) => `<a href="${url}">a link</a>`);
    return response.end(`<title>A site</title><p>Some words</p>${links.join('')}`);
  });
  const cwd = temporaryFolder();
  const bin = join(cwd, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'crawlstream'), `#!/bin/sh\nexec '${process.execPath}' '${main}' "$@"\n`, { mode: 0o755 });
  const env = {
    ...process.env,
    PATH: `${bin}:${process.env['PATH']}`,
    CRAWLSTREAM_RETRIES: '10ms',
    CRAWLSTREAM_DELAY: '5ms',
    npm_lifecycle_event: '',
    npm_command: '',
  };
  /** As typed into a shell; what was printed by it. */
  const type = (line: string) =>
    new Promise<string>((resolve, reject) => {
      execFile('sh', ['-c', line], { cwd, env, encoding: 'utf8', timeout: 600_000 }, (error, stdout, stderr) =>
        error === null ? resolve(stdout + stderr) : reject(new Error(`${line}\n${stdout}${stderr}`, { cause: error })),
      );
    });
  const suggested = (output: string, what: RegExp): string => {
    const found = what.exec(output)?.groups?.['command'];
    assert.ok(found !== undefined, `${what} is not in\n${output}`);
    // It was called by its file here.
    return found.replace(/^\S*node \S*main\.js/, 'crawlstream');
  };

  const help = await type('crawlstream crawl --help');
  const example = suggested(help, /^ *\$ (?<command>crawlstream crawl https:\/\/example\.org .*)$/m);
  const crawled = await type(
    `${example.replace('https://example.org', `http://127.0.0.1:${site.port}/`)} --allow-private`,
  );
  assert.match(crawled, /failed requests by kind, each with the first URL:/);
  const failed = await type(suggested(crawled, /failed: +(?<command>.* pages --failed --data .*)$/m));
  assert.match(failed, /gone {2}http:\S+\/gone {2}the server answered 404/);
  assert.match(failed, /serverError {2}http:\S+\/broken\S* {2}the server answered 500/);
  assert.match(failed, /robotsDenied {2}http:\S+\/private\/x {2}robots\.txt disallows it/);
  for (const line of [
    suggested(failed, /Details of the first: (?<command>.*)$/m),
    suggested(crawled, /why: +(?<command>.*)$/m),
  ]) {
    const explained = await type(line);
    assert.match(explained, /^URL +http:/m);
    assert.match(explained, /gone 404|serverError 500|line 2 of \S+robots\.txt/);
  }
  // A URL that a shell would read otherwise is quoted.
  const stats = await type(
    suggested(crawled, /pages: +(?<command>.* pages --data .*)$/m).replace(' pages ', ' stats '),
  );
  assert.match(stats, /URLs? without a page, with reasons: .* pages --failed/);
});
