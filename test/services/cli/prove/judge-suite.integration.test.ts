/** `judge --suite` starts a crawler, grades it, and writes the report and the badge. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { suiteVersion } from '../../../../lab/judge/suite/checks.ts';
import { lastJson, runCommand } from '../../../../lab/process/command.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';

const folder = temporaryFolder();

/** A crawler that breaks a rule: it asks for a forbidden page, through the proxy, with no word of who it is. */
const rude = `
const http = require('node:http');
const proxy = new URL(process.env.CRAWL_PROXY);
const get = (url) => new Promise((done) => http.get({ host: proxy.hostname, port: proxy.port, path: url, headers: { host: new URL(url).host } }, (response) => response.resume().on('end', done)));
const at = (path) => 'http://robots-disallow-all.test:' + proxy.port + path;
get(process.argv[1]).then(() => get(at('/robots.txt'))).then(() => get(at('/a')));
`;

test('the suite names the check that a crawler fails, with the requests that came', async () => {
  const [report, badge] = [join(folder, 'report.html'), join(folder, 'badge.svg')];
  const files = ['--report', report, '--badge', badge, '--json', '--least', '1'];
  const command = ['--', process.execPath, '-e', rude, '{seed}'];
  const ended = await runCommand(['judge', '--suite', '--listen', '127.0.0.1:0', ...files, ...command]);
  const { checks, score } = lastJson(ended) as unknown as {
    readonly score: number;
    readonly checks: readonly {
      readonly id: string;
      readonly result: string;
      readonly requests?: readonly { readonly key: string }[];
    }[];
  };
  const failed = checks.filter(({ result }) => result === 'fail');
  assert.deepEqual(
    failed.map(({ id }) => id),
    ['robots/disallow-all'],
  );
  assert.deepEqual(
    failed[0]!.requests!.map(({ key }) => key),
    ['/a'],
  );
  assert.deepEqual([score, ended.code], [0, 1]);
  assert.match(
    ended.stdout,
    /FAIL {2}robots\/disallow-all \(MUST\): Disallow: \/ closes the host\n +It asked for \/a\./,
  );
  assert.match(readFileSync(report, 'utf8'), /<h3 id="robots\/disallow-all">[\s\S]*<code>GET \/a<\/code>/);
  assert.match(readFileSync(badge, 'utf8'), /crawler suite: 0 %/);
});

/** A crawler without a proxy: it reads the seed, then a page of each of three hosts. It needs the authority for TLS. */
const direct = `
const http = require('node:http');
const tls = require('node:tls');
const { readFileSync } = require('node:fs');
const get = (url) => new Promise((done) => http.get(url, { agent: false }, (response) => {
  let text = '';
  response.on('data', (chunk) => { text += chunk; }).on('end', () => done(text));
}));
const secure = (host, port) => new Promise((done, failed) => {
  const socket = tls.connect({ host, port, servername: 'start.test', ca: readFileSync(process.env.CRAWL_CA) }, () => done(socket.destroy()));
  socket.on('error', failed);
});
const { hostname, port } = new URL(process.argv[1]);
if (process.env.http_proxy || process.env.CRAWL_PROXY) process.exit(3);
get(process.argv[1])
  .then((text) => Promise.all([...text.matchAll(/href="([^"]+)"/g)].slice(0, 3).map(([, url]) => get(url + 'robots.txt'))))
  .then(() => secure(hostname, port));
`;

test('a crawler without a proxy takes the suite by addresses', { skip: process.platform !== 'linux' }, async () => {
  const by = ['judge', '--suite', '--addresses', '--listen', '127.0.0.1:0', '--json'];
  const ended = await runCommand([...by, '--', process.execPath, '-e', direct, '{seed}']);
  const { requests, suite } = lastJson(ended) as unknown as { readonly requests: number; readonly suite: number };
  assert.equal(requests, 3, ended.stderr);
  assert.equal(suite, suiteVersion);
  assert.match(ended.stderr, /Its seed: http:\/\/127\.1\.\d+\.\d+:\d+\//);
  assert.match(ended.stderr, /must allow 127\.1\.0\.0\/16/);
  assert.doesNotMatch(ended.stderr, /CERT|Error/);
  const both = await runCommand([
    'judge',
    '--suite',
    '--addresses',
    '--name-server',
    '5300',
    '--listen',
    '127.0.0.1:0',
  ]);
  assert.match(both.stderr, /leave out --addresses/);
});

test('a command without --suite, and one that cannot be started, are refused', async () => {
  const alone = await runCommand(['judge', '--', 'true']);
  assert.equal(alone.code, 2, alone.stderr);
  assert.match(alone.stderr, /add --suite to start a crawler/);
  const missing = await runCommand(['judge', '--suite', '--listen', '127.0.0.1:0', '--', 'no-such-crawler']);
  assert.notEqual(missing.code, 0);
  assert.match(missing.stderr, /no-such-crawler/);
});
