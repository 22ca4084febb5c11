/** Hosts whose robots.txt is not asked, with a stated reason: at the site, in audit, stats and explain. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { lastJson, runCommand } from '../../../../lab/process/command.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';

interface Site {
  readonly host: string;
  readonly seed: string;
  readonly paths: string[];
}

async function startSite(): Promise<Site> {
  const paths: string[] = [];
  const server = createServer(({ url = '' }, response) => {
    paths.push(url);
    const isRobots = url === '/robots.txt';
    response.setHeader('content-type', isRobots ? 'text/plain' : 'text/html');
    response.end(isRobots ? 'User-agent: *\nDisallow: /2\nDisallow: /3\n' : '<a href="/2">x</a> <a href="/3">x</a>');
  });
  after(() => server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { host, seed: `http://${host}/`, paths };
}

test('an overlay with a reason exempts only its hosts from robots.txt; audit, stats and explain show it', async () => {
  const [own, other] = [await startSite(), await startSite()];
  const folder = temporaryFolder();
  const file = join(folder, 'overlays.yaml');
  const reason = 'our own site, agreed with its webmaster';
  await writeFile(
    file,
    `overlays:\n  - name: ours\n    match: { hosts: ['${own.host}'] }\n    set: { robotsNotAsked: '${reason}' }\n`,
  );
  const data = ['--data', join(folder, 'data')];
  const reach = ['--allow-private', '--contact', 'me@example.org', '--delay', '0', '--overlays', file];
  const result = lastJson(await runCommand(['crawl', own.seed, other.seed, ...reach, ...data, '--json']));
  assert.deepEqual([result['pages'], result['denied']], [4, 2]);
  assert.deepEqual(own.paths.toSorted(), ['/', '/2', '/3']);
  assert.deepEqual(other.paths.toSorted(), ['/', '/robots.txt']);

  const audit = await runCommand(['audit', ...data]);
  assert.equal(audit.code, 0, audit.stdout);
  assert.match(
    audit.stdout,
    new RegExp(`no robots\\.txt +3 requests to 1 host ignored robots\\.txt, as the policy allows: ${reason}\n`),
  );
  const { stdout: reported } = await runCommand(['audit', ...data, '--json']);
  assert.match(reported, /ignored robots\.txt, as the policy allows|"exempt":\{"requests":3,"hosts":1/);
  const { stdout: stats } = await runCommand(['stats', ...data]);
  assert.match(stats, new RegExp(`robots\\.txt is ignored where overlay ours matches: ${reason}\n`));
  const json = lastJson(await runCommand(['stats', ...data, '--json']));
  assert.deepEqual(json['robotsNotAsked'], [{ overlay: 'ours', reason }]);
  const { stdout: explained } = await runCommand(['explain', `${own.seed}2`, ...data]);
  assert.match(explained, /overlays +ours: decides robotsNotAsked\n/);
  assert.match(explained, new RegExp(`robots\\.txt +not requested: ${reason}\n`));
  assert.doesNotMatch((await runCommand(['explain', other.seed, ...data])).stdout, /not requested/);
});

test('an exemption from robots.txt without a reason in words, or for a part of a host, is refused', async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'overlays.json');
  for (const [overlay, says] of [
    [{ match: { hosts: ['a.org'] }, set: { robotsNotAsked: 'yes' } }, /set\.robotsNotAsked: write the reason in words/],
    [{ match: { hosts: ['a.org'] }, set: { robotsNotAsked: true } }, /set\.robotsNotAsked/],
    [{ match: { patterns: ['/a'] }, set: { robotsNotAsked: 'our own site' } }, /this setting applies to whole hosts/],
  ] as const) {
    await writeFile(file, JSON.stringify([{ name: 'ours', ...overlay }]));
    const { code, stderr } = await runCommand(['check', 'filter', 'https://a.org/', '--overlays', file]);
    assert.equal(code, 2);
    assert.match(stderr, says);
  }
});
