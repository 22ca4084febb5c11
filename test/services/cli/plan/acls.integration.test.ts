/** `crawlstream acls`: what it prints, and the same list in deploy/KAFKA.md. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { it } from 'node:test';
import { lastJson, runCommand } from '../../../../lab/process/command.ts';
import { processors } from '../../../../services/application/topology.ts';

it('the list in deploy/KAFKA.md is what the command prints', async () => {
  const { stdout } = await runCommand(['acls', '--crawl', 'crawl']);
  const text = await readFile(new URL('../../../../deploy/KAFKA.md', import.meta.url), 'utf8');
  const [, listed] = /<!-- crawlstream acls -->\n```\n(.*?)```\n<!-- end -->/s.exec(text) ?? [];
  assert.equal(listed, stdout);
});

it('each processor may read what it reads, write what it writes, and no other topic of the graph', async () => {
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

it('prints commands of Kafka’s own tool, for one service and whoever plays it', async () => {
  const { stdout } = await runCommand(['acls', 'fetcher', '--crawl', 'news', '--commands', '--principal', 'User:f']);
  const lines = stdout.trimEnd().split('\n');
  assert.ok(lines.every((line) => line.startsWith('kafka-acls.sh ') && line.includes('--allow-principal User:f ')));
  assert.match(stdout, /--operation Read --topic news\.tasks --resource-pattern-type literal$/m);
  assert.match(stdout, /--operation Read --group news\.fetcher --resource-pattern-type prefixed$/m);
});

it('names the services there are where one is asked for that is none', async () => {
  const { code, stderr } = await runCommand(['acls', 'cook']);
  assert.equal(code, 2);
  assert.match(stderr, /there is no service cook: name one of frontier, fetcher, /);
});
