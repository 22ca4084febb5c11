import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { it } from 'node:test';
import { processors } from '../../../services/application/topology.ts';
import { installed } from '../../../services/extras/installed.ts';
import { limitsPage } from '../../../services/reference/limits-page.ts';
import { policyPage } from '../../../services/reference/policy-page.ts';
import { withTreeMap } from '../../../services/reference/tree-map.ts';
import { topicNames } from '../../../topology/topics.ts';

const pageOf = (name: string) => readFileSync(new URL(`../../../docs/${name}.md`, import.meta.url), 'utf8');

it('every limit on the page has its value in the source', async () =>
  assert.equal(await limitsPage(), pageOf('limits')));

it('every policy field on the page has its default in the source', () => assert.equal(policyPage(), pageOf('policy')));

it('the README’s map of the tree names every extra, and has the size of the core', () => {
  const readme = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8');
  assert.equal(withTreeMap(readme), readme, 'run npm run generate');
  const map = readme.slice(readme.indexOf('<!-- tree -->'), readme.indexOf('<!-- end -->'));
  for (const { name } of installed) assert.ok(map.includes(name), name);
});

it('the command line has at most 10,000 lines', () => {
  const folder = new URL('../../../services/cli/', import.meta.url);
  const names = (readdirSync(folder, { recursive: true }) as string[]).filter((name) => /\.(?:ts|mjs)$/.test(name));
  const lines = names.map((name) => readFileSync(new URL(name, folder), 'utf8').split('\n').length - 1);
  assert.ok(lines.reduce((sum, count) => sum + count, 0) <= 10_000);
});

it('the wire’s page names each processor as a writer of the topics that it declares, and of no other', () => {
  const rows = pageOf('wire').split('\n');
  for (const topic of topicNames) {
    // The second table: its row has five cells.
    const row = rows.find((line) => line.startsWith(`| \`${topic}\` |`) && line.split(' | ').length === 5)!;
    const [, writers] = row.split(' | ');
    for (const { name, writes } of processors)
      assert.equal(writers!.includes(`\`${name}\``), writes.includes(topic), `${topic}: ${name}`);
  }
});
