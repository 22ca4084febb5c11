/**
 * A site agreed to another name than the crawl's: by the servers' records it is asked under that name, by the group of that name in
 * its robots.txt, and no other site is; the audit, which reads records alone, finds nothing wrong.
 */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { lastJson, runCommand } from '../../../../lab/process/command.ts';
import { chromiumHere, noBrowser } from '../../../browser/chromium.ts';
import { serveSite } from '../../fetcher/loopback.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';

const robots = `User-agent: Newsbot
Disallow: /for-partners

User-agent: partner-reader
Disallow: /for-all
Crawl-delay: 0.2

User-agent: *
Disallow: /
`;

test('a site with an agreed name is crawled under that name, by its group of robots.txt, and no other site is', async (t) => {
  const own = await serveSite(t, ({ url }, response) => {
    if (url === '/robots.txt') return response.end(robots);
    return response.setHeader('content-type', 'text/html').end(`<title>${url}</title>`);
  });
  // Its robots.txt is at a host that did not agree to anything: the rules are read for each under its own name.
  const agreed = await serveSite(t, ({ url }, response) => {
    if (url === '/robots.txt') return response.writeHead(301, { location: own.url('plain.test', '/robots.txt') }).end();
    return response
      .setHeader('content-type', 'text/html')
      .setHeader('x-robots-tag', 'partner-reader: noindex')
      .end(`<title>${url}</title>`);
  });
  const folder = temporaryFolder();
  const [data, rules] = [join(folder, 'data'), join(folder, 'rules.yaml')];
  const identity = { userAgent: 'PressClub/3 (partner-reader)', robotsTokens: ['partner-reader'] };
  await writeFile(rules, JSON.stringify([{ hosts: ['agreed.test'], identity }]));
  const reach = ['plain.test', 'agreed.test'].flatMap((name) => ['--resolve', `${name}:127.0.0.1`]);
  const who = ['--user-agent', 'Newsbot/1', '--contact', 'me@example.org', ...reach];
  const paths = ['/for-partners', '/for-all', '/both'];
  const seeds = paths.flatMap((path) => [own.url('plain.test', path), agreed.url('agreed.test', path)]);
  const crawl = await runCommand(['crawl', ...seeds, '--data', data, '--requests', rules, '--delay', '50ms', ...who]);
  assert.equal(crawl.code, 0, crawl.stderr);

  const asked = ({ hits }: typeof own) => hits.filter(({ path }) => path !== '/robots.txt').map(({ path }) => path);
  assert.deepEqual(asked(own).sort(), ['/both', '/for-all']);
  assert.deepEqual(asked(agreed).sort(), ['/both', '/for-partners']);
  const names = ({ hits }: typeof own) => [...new Set(hits.map(({ headers }) => headers['user-agent']))];
  assert.deepEqual(names(own), ['Newsbot/1 (+me@example.org)']);
  assert.deepEqual(names(agreed), ['PressClub/3 (partner-reader) (+me@example.org)']);

  const audit = await runCommand(['audit', '--data', data, '--json']);
  assert.deepEqual((lastJson(audit) as { readonly details: unknown }).details, []);
  assert.equal(audit.code, 0);
  for (const name of [/Newsbot\/1 \(\+me@example\.org\)/, /PressClub\/3/]) assert.match(audit.stdout, name);
  const pages = await runCommand(['pages', '--data', data]);
  for (const line of pages.stdout.split('\n').filter((one) => one.startsWith('{'))) {
    const { url, noindex } = JSON.parse(line) as { readonly url: string; readonly noindex: boolean };
    assert.equal(noindex, url.includes('agreed.test'), url);
  }
  const explained = await runCommand(['explain', agreed.url('agreed.test', '/for-all'), '--data', data]);
  assert.match(explained.stdout, /Disallow: \/for-all/);

  const check = async (url: string) => {
    const ended = await runCommand(['check', 'robots', url, '--requests', rules, '--json', ...who]);
    return lastJson(ended) as { readonly allowed: boolean; readonly group: string };
  };
  assert.equal((await check(agreed.url('agreed.test', '/for-partners'))).allowed, true);
  assert.equal((await check(agreed.url('agreed.test', '/for-all'))).allowed, false);
  assert.equal((await check(own.url('plain.test', '/for-all'))).allowed, true);
});

test('subresources in a browser are requested under their host’s agreed name, and scripts see that of their page', {
  skip: chromiumHere() === undefined ? noBrowser : false,
}, async (t) => {
  const load = (host: string, path: string) => `<script src="http://${host}.test:PORT${path}"></script>`;
  const site = await serveSite(t, ({ url = '/' }, response, host) => {
    if (url === '/robots.txt') return response.end(robots.replaceAll('/for-', '/js/for-').replace('Disallow: /\n', ''));
    if (url.endsWith('.js')) return response.setHeader('content-type', 'text/javascript').end('done = 1');
    const loads = ['agreed', 'plain'].flatMap((name) =>
      ['/js/for-partners.js', '/js/for-all.js'].map((js) => load(name, js)),
    );
    response
      .setHeader('content-type', 'text/html')
      .end(
        `<script>document.title = '${host} ' + navigator.userAgent</script>${loads.join('').replaceAll('PORT', `${site.port}`)}`,
      );
  });
  const folder = temporaryFolder();
  const [data, rules, extract] = [join(folder, 'data'), join(folder, 'rules.json'), join(folder, 'extract.json')];
  const identity = { userAgent: 'PressClub/3 (partner-reader)', robotsTokens: ['partner-reader'] };
  await writeFile(rules, JSON.stringify([{ hosts: ['agreed.test'], identity }]));
  await writeFile(extract, JSON.stringify({ render: [{ hosts: ['*.test'] }] }));
  const crawl = await runCommand([
    ...['crawl', site.url('plain.test', '/'), site.url('agreed.test', '/'), '--data', data, '--with', 'render'],
    ...['--requests', rules, '--extract', extract, '--delay', '50ms', '--resolve', `*.test:${site.port}:127.0.0.1`],
    ...['--user-agent', 'Newsbot/1', '--contact', 'me@example.org'],
  ]);
  assert.equal(crawl.code, 0, crawl.stderr);
  const [own, theirs] = ['Newsbot/1 (+me@example.org)', 'PressClub/3 (partner-reader) (+me@example.org)'];
  const scripts = site.hits.filter(({ path }) => path.endsWith('.js'));
  assert.deepEqual(scripts.map(({ host, path }) => `${host}${path}`).sort(), [
    'agreed.test/js/for-partners.js',
    'plain.test/js/for-all.js',
  ]);
  for (const { host, path, headers } of site.hits)
    assert.equal(headers['user-agent'], host === 'agreed.test' ? theirs : own, `${host}${path}`);
  const pages = await runCommand(['pages', '--data', data, '--fields', 'title,rendered']);
  assert.deepEqual(pages.stdout.trimEnd().split('\n').sort(), [
    JSON.stringify({ title: `agreed.test ${theirs}`, rendered: true }),
    JSON.stringify({ title: `plain.test ${own}`, rendered: true }),
  ]);
  const audit = await runCommand(['audit', '--data', data, '--json']);
  assert.deepEqual((lastJson(audit) as { readonly details: unknown }).details, []);
});

test('a rule with an identity that webmasters could not trace is refused, by its field', async () => {
  const rules = join(temporaryFolder(), 'rules.json');
  for (const [rule, wanted] of [
    [{ urls: ['http://a.test/'], identity: { userAgent: 'PressClub/3' } }, /identity.*works only for hosts/],
    [{ hosts: ['a.test'], identity: { userAgent: '(x)' } }, /identity\.userAgent.*must start with a name/],
    [
      { hosts: ['a.test'], identity: { userAgent: 'PressClub/3', robotsTokens: ['Other'] } },
      /Other is not part of PressClub/,
    ],
    [{ hosts: ['a.test'], identity: { userAgent: 'Mozilla/5.0 (X)' } }, /starts like the name of a browser/],
  ] as const) {
    await writeFile(rules, JSON.stringify([rule]));
    const { code, stderr } = await runCommand(['check', 'robots', 'http://a.test/', '--requests', rules]);
    assert.equal(code, 2, stderr);
    assert.match(stderr, wanted);
  }
});
