import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compileMetadataRules, type LinkFacts, type MetadataRule } from '../../../topology/policy/metadata-rules.ts';

const link: LinkFacts = { depth: 1, hop: 0, intent: 'discover', sourceUrl: 'http://www.b.org/', lastModifiedMs: 0 };

function refused(rule: Omit<MetadataRule, 'name'>, facts: Partial<LinkFacts>, url = 'http://a.org/x'): boolean {
  const verdict = compileMetadataRules([{ name: 'r', ...rule }])(url, { ...link, ...facts });
  if (verdict !== null) assert.deepEqual(verdict, { rule: 'metadata', detail: 'r' });
  return verdict !== null;
}

test('a metadata rule refuses links that meet all its conditions', () => {
  const rule = { url: '/x$', intents: ['discover'], sourceDomains: ['b.org'], depthFrom: 1 } as const;
  assert.equal(refused(rule, {}), true);
  assert.equal(refused(rule, {}, 'http://a.org/y'), false);
  assert.equal(refused(rule, { intent: 'force' }), false);
  assert.equal(refused(rule, { sourceUrl: 'http://c.org/' }), false);
  assert.equal(refused(rule, { sourceUrl: '' }), false, 'seeds have no source');
  assert.equal(refused(rule, { depth: 0 }), false);
});

test('metadata rules match hops, other hosts and old lastmods', () => {
  assert.equal(refused({ hopFrom: 3 }, { hop: 3 }), true);
  assert.equal(refused({ hopFrom: 3 }, { hop: 2 }), false);
  assert.equal(refused({ offHost: true }, {}), true);
  assert.equal(refused({ offHost: true }, { sourceUrl: 'http://a.org/' }), false);
  assert.equal(refused({ modifiedBeforeMs: 1000 }, { lastModifiedMs: 999 }), true);
  assert.equal(refused({ modifiedBeforeMs: 1000 }, { lastModifiedMs: 1000 }), false);
  assert.equal(refused({ modifiedBeforeMs: 1000 }, {}), false, 'an unknown lastmod is not old');
});
