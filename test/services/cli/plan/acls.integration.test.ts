/** `crawlstream acls`: what it prints, and the same list in deploy/KAFKA.md. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { it } from 'node:test';
import { lastJson, runCommand } from '../../../../lab/process/command.ts';
import { processors } from '../../../../services/application/topology.ts';

it('the list in deploy/KAFKA.md equals the command’s output', async () => {
  const { stdout } = await runCommand(['acls', '--crawl', 'crawl']);
  const text = await readFile(new URL('../../../../deploy/KAFKA.md', import.meta.url), 'utf8');
  const [, listed] = /<!-- crawlstream acls -->\n```\n(.*?)```\n<!-- end -->/s.exec(text) ?? [];
  assert.equal(listed, stdout);
});

it('each processor may read its inputs, write its outputs, and no other topic of the graph', async () => {
  const printed = lastJson(await runCommand(['acls', '--crawl', 'news', '--json']));
  type Listed = { service: string; access: { resource: string; name: string; operations: string[] }[] };
  for (const { service, access } of printed['services'] as Listed[]) {
    const processor = processors.find(({ name }) => name === service);
    if (processor === undefined) continue;
    const may = (operation: string) =>
      access
        .filter(({ resource, operations }) => resource === 'Topic' && operations.includes(operation))
        .map(({ name }) => name.slice('news.'.length));
    const manifest = processor.reads.includes('control') ? [] : ['control'];
    assert.deepEqual(may('Read').sort(), [...processor.reads, ...manifest].sort(), service);
    assert.deepEqual(may('Write').sort(), [...processor.writes].sort(), service);
  }
});

it('acls prints commands of Kafka’s own tool, for one service and its principal', async () => {
  const { stdout } = await runCommand(['acls', 'fetcher', '--crawl', 'news', '--commands', '--principal', 'User:f']);
  const lines = stdout.trimEnd().split('\n');
  assert.ok(lines.every((line) => line.startsWith('kafka-acls.sh ') && line.includes('--allow-principal User:f ')));
  assert.match(stdout, /--operation Read --topic news\.tasks --resource-pattern-type literal$/m);
  assert.match(stdout, /--operation Read --group news\.fetcher --resource-pattern-type prefixed$/m);
});

it('acls lists the services if an unknown one is named', async () => {
  const { code, stderr } = await runCommand(['acls', 'cook']);
  assert.equal(code, 2);
  assert.match(stderr, /there is no service cook: give one of frontier, fetcher, /);
});

it('a fleet creates and deletes topics that begin with its name; its part of deploy/KAFKA.md equals the command’s output', async () => {
  const text = await readFile(new URL('../../../../deploy/KAFKA.md', import.meta.url), 'utf8');
  const listed = [
    ...text.matchAll(/<!-- crawlstream acls (fleet|fleet-fetcher|fleet-consumers) -->\n```\n(.*?)```\n<!-- end -->/gs),
  ];
  for (const [at, service] of ['fleet', 'fetcher', 'consumers'].entries()) {
    const { stdout } = await runCommand(['acls', service, '--fleet', 'search']);
    assert.equal(listed[at]?.[2], stdout);
  }
  const printed = lastJson(await runCommand(['acls', '--fleet', 'search', '--json']));
  assert.equal(printed['fleet'], 'search');
  assert.deepEqual(
    (printed['services'] as { service: string }[]).map(({ service }) => service),
    ['fleet', 'fetcher', 'consumers', 'operator'],
  );
});

it('rights in a fleet’s crawl cover its existing topics, for services that do not run it', async () => {
  const { stdout } = await runCommand(['acls', 'reader', '--crawl', 'search.docs']);
  const topics = [...stdout.matchAll(/^ {2}Topic {2}(\S+) +(.*)$/gm)].map(([, name, operations]) => [name, operations]);
  assert.deepEqual(topics, [
    ['search.docs.*', 'Describe'],
    ['search.docs.flow', 'Read, Write'],
    ['search.docs.pages', 'Read'],
  ]);
  const archive = await runCommand(['acls', 'archive', '--crawl', 'search.docs']);
  assert.match(archive.stdout, /search\.docs\.responses +Read\n.*search\.docs\.flow +Read, Write\n/);
  const index = await runCommand(['acls', 'index', '--crawl', 'search.docs']);
  assert.match(
    index.stdout,
    /search\.docs\.flow +Read, Write\n.*search\.docs\.pages +Read\n.*search\.docs\.index\* +Read\n/,
  );
});

it('acls names a superfluous option, and who runs a fleet’s crawl', async () => {
  const refusals: [string[], RegExp][] = [
    [['--fleet', 'search', '--crawl', 'news'], /--crawl and --fleet exclude each other: remove one/],
    [['--fleet', 'se.arch'], /--fleet "se\.arch": use at most 60 letters, digits and -/],
    [['frontier', '--crawl', 'search.docs'], /frontier is not a service of a fleet.*crawlstream acls --fleet search/],
    [['render', '--crawl', 'search.docs'], /render is not a service of a fleet/],
    [['--fleet', 'search', '--plugin', import.meta.filename], /--plugin cannot be used with --fleet/],
  ];
  for (const [args, message] of refusals) {
    const { code, stderr } = await runCommand(['acls', ...args]);
    assert.equal(code, 2, stderr);
    assert.match(stderr, message);
  }
});
