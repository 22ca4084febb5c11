import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { it } from 'node:test';
import { limitsPage } from '../../../../services/cli/reference/limits-page.ts';
import { policyPage } from '../../../../services/cli/reference/policy-page.ts';

const pageOf = (name: string) => readFileSync(new URL(`../../../../docs/${name}.md`, import.meta.url), 'utf8');

it('every limit is what its users read that it is', async () => assert.equal(await limitsPage(), pageOf('limits')));

it('every field of a policy has the default that its users read', () => assert.equal(policyPage(), pageOf('policy')));
