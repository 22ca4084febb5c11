import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { it } from 'node:test';
import { processors } from '../../../services/application/topology.ts';
import { limitsPage } from '../../../services/reference/limits-page.ts';
import { policyPage } from '../../../services/reference/policy-page.ts';
import { topicNames } from '../../../topology/topics.ts';

const pageOf = (name: string) => readFileSync(new URL(`../../../docs/${name}.md`, import.meta.url), 'utf8');

it('every limit on the page has its value in the source', async () =>
  assert.equal(await limitsPage(), pageOf('limits')));

it('every policy field on the page has its default in the source', () => assert.equal(policyPage(), pageOf('policy')));

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
