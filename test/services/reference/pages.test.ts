import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { it } from 'node:test';
import { limitsPage } from '../../../services/reference/limits-page.ts';
import { policyPage } from '../../../services/reference/policy-page.ts';

const pageOf = (name: string) => readFileSync(new URL(`../../../docs/${name}.md`, import.meta.url), 'utf8');

it('every limit on the page has its value in the source', async () =>
  assert.equal(await limitsPage(), pageOf('limits')));

it('every policy field on the page has its default in the source', () => assert.equal(policyPage(), pageOf('policy')));
