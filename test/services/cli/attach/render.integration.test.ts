/** A crawl of a site that scripts build, with a browser beside it. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { lastJson, runCommand } from '../../../../lab/process/command.ts';
import { chromiumHere, noBrowser } from '../../../browser/chromium.ts';
import { serveSite } from '../../fetcher/loopback.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';

const app = `
  const number = Number(location.pathname.slice(1)) || 0;
  fetch('/secret/data.json').catch(() => document.body.append('nothing secret'));
  document.title = 'Room ' + number;
  document.body.insertAdjacentHTML('beforeend',
    '<p>' + 'The room has a view of the harbor. '.repeat(10) + '</p>' + (number < 3 ? '<a href="/' + (number + 1) + '">on</a>' : '') +
    (number === 0 ? '<a href="/1?from=app">the same</a>' : ''));`;

test('links and text from scripts are found by a browser beside the crawl, politely, and the crawl waits for it', {
  skip: chromiumHere() === undefined ? noBrowser : false,
}, async (t) => {
  const site = await serveSite(t, (request, response) => {
    if (request.url === '/robots.txt') return response.end('User-agent: *\nDisallow: /secret/');
    if (request.url === '/app.js') {
      response.setHeader('content-type', 'text/javascript');
      return response.end(app);
    }
    response.setHeader('content-type', 'text/html; charset=utf-8');
    const canonical = request.url === '/1?from=app' ? '<link rel="canonical" href="/1">' : '';
    return response.end(`${canonical}<body><script src="/app.js"></script>`);
  });
  const folder = temporaryFolder();
  const rules = join(folder, 'extract.yaml');
  await writeFile(rules, 'mainText: true\nrender: [{ hosts: [localhost] }]\n');
  const data = join(folder, 'data');
  const args = [
    `http://localhost:${site.port}/`,
    '--allow-private',
    '--delay',
    '30ms',
    '--canonicals',
    '--extract',
    rules,
    '--data',
    data,
  ];
  const ended = await runCommand(['crawl', ...args, '--with', 'render,index', '--screenshots', '320']);
  assert.equal(ended.code, 0, ended.stderr);

  const printed = await runCommand(['pages', '--all', '--data', data]);
  const pages = printed.stdout
    .trimEnd()
    .split('\n')
    .map(
      (line) => JSON.parse(line) as { url: string; title: string; rendered: boolean; text: string; screenshot: string },
    );
  const rendered = pages.filter((page) => page.rendered);
  assert.deepEqual(rendered.map(({ title }) => title).sort(), ['Room 0', 'Room 1', 'Room 2', 'Room 3']);
  assert.ok(rendered.every(({ text }) => text.includes('view of the harbor') && text.includes('nothing secret')));
  const areJpegs = pages.map(({ screenshot }) => screenshot.startsWith('/9j/'));
  assert.deepEqual(
    areJpegs,
    pages.map((page) => page.rendered),
    'rendered pages have a screenshot, and only these',
  );
  assert.equal(pages.length, 8, 'each page as it was fetched, and as its scripts left it');
  assert.ok(
    site.hits.some(({ path }) => path === '/1?from=app'),
    'a link that scripts made, to a page that has a canonical',
  );
  const each = await runCommand(['pages', '--data', data, '--fields', 'title,rendered']);
  assert.deepEqual(
    each.stdout.trimEnd().split('\n').sort(),
    [0, 1, 2, 3].map((number) => JSON.stringify({ title: `Room ${number}`, rendered: true })),
    'each URL once, as it was rendered',
  );
  const asked = site.hits.map(({ path }) => path);
  assert.equal(asked.filter((path) => path === '/app.js').length, 1, 'a script is fetched once for all pages');
  assert.ok(!asked.includes('/secret/data.json'), 'what robots.txt forbids is not fetched for a script either');

  const judged = lastJson(await runCommand(['audit', '--data', data, '--json']));
  assert.deepEqual(judged['details'], []);
  assert.equal(judged['fetches'], site.hits.length, 'what a browser loads is on record, too');

  const found = await runCommand(['search', 'harbor', '--data', data]);
  assert.equal(found.stdout.trimEnd().split('\n').length, 4);

  const without = await runCommand([
    'crawl',
    ...args.slice(0, -2),
    '--data',
    join(folder, 'other'),
    '--max-pages',
    '1',
  ]);
  assert.match(without.stderr, /--extract has render: rules, but no browser runs: add --with render/);
});

test('a browser without a network namespace is reported once, at the start', {
  skip: chromiumHere() === undefined ? noBrowser : false,
}, async (t) => {
  const site = await serveSite(t, (request, response) => {
    if (request.url === '/robots.txt') response.writeHead(404).end();
    else response.setHeader('content-type', 'text/html').end('<script>document.title = "made"</script>');
  });
  const folder = temporaryFolder();
  const rules = join(folder, 'extract.yaml');
  await writeFile(rules, 'render: [{ hosts: [localhost] }]\n');
  await writeFile(join(folder, 'unshare'), '#!/bin/sh\necho "unshare failed: not permitted" >&2\nexit 1\n', {
    mode: 0o755,
  });
  const data = join(folder, 'data');
  const args = [`http://localhost:${site.port}/`, '--allow-private', '--extract', rules, '--data', data];
  const env = { PATH: `${folder}:${process.env['PATH']}` };
  const ended = await runCommand(['crawl', ...args, '--with', 'render'], { env });
  assert.equal(ended.code, 0, ended.stderr);
  const reported = ended.stderr.split('\n').filter((line) => line.includes('render: '));
  assert.equal(reported.length, 1, ended.stderr);
  assert.match(
    reported[0]!,
    /the browser runs in the network of this machine \(unshare failed: not permitted\): no way around/,
  );
});
