/** Fields of a policy that extras and plugins declare. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { z } from 'zod';
import {
  type ExtraFields,
  extraValues,
  uncheckedExtras,
  withInitialExtras,
} from '../../../topology/policy/extra-fields.ts';
import { mergeAsked, policyChanges } from '../../../topology/policy/merge.ts';
import { defaultPolicy, type PolicyConfig } from '../../../topology/policy/policy.ts';
import { parsePolicy, policyWithoutVersion, validatePolicy } from '../../../topology/policy/validate.ts';

const titles = {
  shortest: { schema: z.int().min(0).max(100), about: 'Characters of a title.', initial: 3, setter: 'owner' },
  words: { schema: z.array(z.string()), about: 'Words of a title. Absent: any.', setter: 'operator' },
} as const;
const fields: ExtraFields = { titles };
const policy = (extras: unknown): PolicyConfig => ({ ...defaultPolicy(), extras }) as PolicyConfig;

it('a policy without fields of extras has the same bytes, whatever extras are there', () => {
  const text = JSON.stringify(defaultPolicy());
  assert.equal(JSON.stringify(validatePolicy(defaultPolicy(), undefined, fields)), JSON.stringify(parsePolicy(text)));
  assert.equal(JSON.stringify(withInitialExtras(defaultPolicy(), {})), text);
});

it('fields of an extra are checked where it is known, and kept by a program without it', () => {
  const good = policy({ titles: { shortest: 7, words: ['a'] }, others: { any: { thing: [1, null] } } });
  for (const known of [fields, {}]) {
    assert.deepEqual(validatePolicy(good, undefined, known), good);
    assert.deepEqual(policyWithoutVersion(JSON.stringify(good), undefined, known).extras, good.extras);
  }
  assert.deepEqual(parsePolicy(JSON.stringify(good)), good);
  const rows: [unknown, RegExp][] = [
    [{ titles: { shortest: 101 } }, /^policy\.extras\.titles\.shortest: .*; correct this field$/],
    [{ titles: { words: ['a', 1] } }, /^policy\.extras\.titles\.words\[1\]: .*; correct this field$/],
    [{ titles: { colour: 1 } }, /^policy\.extras\.titles\.colour: .*; remove this field, or correct its name$/],
    [{ titles: { shortes: 1 } }, /^policy\.extras\.titles\.shortes: .*: did you mean shortest\?$/],
  ];
  for (const [extras, message] of rows) {
    assert.throws(() => validatePolicy(policy(extras), undefined, fields), { code: 'INVALID_ARGUMENT', message });
    assert.deepEqual(parsePolicy(JSON.stringify(policy(extras))).extras, extras, 'a policy in force is not checked');
  }
});

it('names of extras and fields have letters, digits, dots, dashes and underscores', () => {
  for (const extras of [{ 'two words': {} }, { titles: { '': 1 } }])
    assert.throws(() => parsePolicy(JSON.stringify(policy(extras))), {
      message: /^policy\.extras.*write a name of at most 64/,
    });
  for (const extras of [{ constructor: {} }, { titles: { toString: 1 } }])
    assert.throws(() => parsePolicy(JSON.stringify(policy(extras))), {
      message: /^policy\.extras.*every object has this name/,
    });
  for (const extras of ['titles', [1], { titles: 1 }, { titles: [1] }])
    assert.throws(() => validatePolicy(policy(extras)), { message: /^policy\.extras/ });
});

it('values that are in force already stay, even if a newer extra refuses them', () => {
  const inForce = policy({ titles: { shortest: 500 } });
  assert.equal(validatePolicy({ ...inForce, delayMs: 9 }, inForce, fields).delayMs, 9);
  const more = policy({ titles: { shortest: 500, words: ['a'] } });
  assert.deepEqual(validatePolicy(more, inForce, fields).extras, more.extras);
  assert.throws(
    () => validatePolicy(policy({ titles: { shortest: 500, words: 1 } }), inForce, fields),
    /titles\.words/,
  );
  const changed = { ...inForce, extras: { titles: { shortest: 501 } } };
  assert.throws(() => validatePolicy(changed, inForce, fields), /policy\.extras\.titles\.shortest/);
});

it('extras that nothing here checks are named if their fields change', () => {
  const before = policy({ titles: {}, others: { a: 1 }, third: { b: 1 } });
  const after = policy({ titles: { shortest: 9 }, others: { a: 1 }, third: { b: 2 }, fourth: {} });
  assert.deepEqual(uncheckedExtras(before, after, fields), ['third', 'fourth']);
  assert.deepEqual(uncheckedExtras(after, defaultPolicy(), fields), []);
});

it('a new crawl has the defaults, and keeps what it is given', () => {
  assert.deepEqual(withInitialExtras(defaultPolicy(), fields).extras, { titles: { shortest: 3 } });
  const given = { titles: { words: ['a'] }, others: { b: 1 } };
  assert.deepEqual(withInitialExtras(policy(given), fields).extras, {
    titles: { shortest: 3, words: ['a'] },
    others: { b: 1 },
  });
  for (const wrong of ['titles', { titles: 1 }])
    assert.deepEqual(withInitialExtras(policy(wrong), fields).extras, wrong, 'the check of the policy refuses it');
});

it('an extra reads defaults for fields that a policy lacks, or that its schema refuses', () => {
  const read = (extras?: unknown) => extraValues(policy(extras), 'titles', titles);
  assert.deepEqual(read(), { values: { shortest: 3 }, refused: [] });
  assert.deepEqual(read({ others: { shortest: 9 } }), { values: { shortest: 3 }, refused: [] });
  assert.deepEqual(read({ titles: { shortest: 9, words: [] } }), {
    values: { shortest: 9, words: [] },
    refused: [],
  });
  const undeclared = { colour: 'red', toString: 1, constructor: 2 };
  assert.deepEqual(read({ titles: undeclared }), { values: { shortest: 3 }, refused: [] });
  assert.deepEqual(read({ titles: { shortest: -1, words: 1 } }), {
    values: { shortest: 3 },
    refused: ['shortest', 'words'],
  });
});

it("options change only an extra's fields that they name, and the change is reported by its path", () => {
  const before = policy({ titles: { shortest: 3 } });
  const inForce = policy({ titles: { shortest: 3, words: ['set by an operator'] } });
  const merged = mergeAsked(before, policy({ titles: { shortest: 5 } }), inForce);
  assert.deepEqual(merged.extras, { titles: { shortest: 5, words: ['set by an operator'] } });
  assert.deepEqual(policyChanges(inForce, merged), ['extras.titles.shortest 3 → 5']);
});

it('the first option of an extra keeps what an operator set, and a dropped one is removed alone', () => {
  const none = defaultPolicy();
  const ofOperator = { titles: { words: ['a'] }, others: { b: 1 } };
  const typed = policy({ titles: { shortest: 5 } });
  const merge = (before: PolicyConfig, now: PolicyConfig, extras: unknown) =>
    mergeAsked(before, now, policy(extras)).extras;
  const both = { titles: { words: ['a'], shortest: 5 }, others: { b: 1 } };
  for (const before of [none, policy({ others: {} }), policy({ titles: {} })])
    assert.deepEqual(merge(before, typed, ofOperator), both);
  assert.deepEqual(merge(typed, none, both), ofOperator);
  assert.deepEqual(merge(none, typed, undefined), typed.extras);
  assert.ok(!('extras' in mergeAsked(none, none, none)));
});
