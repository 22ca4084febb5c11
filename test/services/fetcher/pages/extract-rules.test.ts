/** What pages of a host are asked for: what the rules want of all, and fields of some hosts. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  compileExtractRules,
  extractRulesSchema,
  extractRulesWith,
  wantedReaders,
} from '../../../../services/fetcher/pages/extract-rules.ts';

const wishesOf = (rules: object, hostname = 'a.test') => compileExtractRules(extractRulesSchema.parse(rules))(hostname);
const nothing = {
  mainText: false,
  markdown: false,
  language: false,
  metadata: false,
  mediaLinks: { images: false, scripts: false, data: false },
  tidyMarkup: false,
};

describe('minimal extract rules', () => {
  it('minimal extract rules want nothing, and fields from any host, once, as texts', () => {
    assert.deepEqual(extractRulesSchema.parse({}), {
      ...{ mainText: false, markdown: false, language: false, metadata: false, fields: [] },
      links: { images: false, scripts: false, data: false },
    });
    assert.deepEqual(extractRulesSchema.parse({ links: { data: true } }).links, {
      images: false,
      scripts: false,
      data: true,
    });
    assert.deepEqual(extractRulesSchema.parse({ fields: [{ name: 'a', selector: 'b' }] }).fields, [
      { name: 'a', hosts: ['*'], selector: 'b', attribute: '', type: 'string', all: false },
    ]);
  });

  it('an extract rule must want something', () => {
    const isTaken = (field: object) =>
      extractRulesSchema.safeParse({ fields: [{ name: 'a', selector: 'b', ...field }] }).success;
    for (const right of [
      { hosts: ['a.test'] },
      { attribute: 'data-x' },
      { name: `a${'b'.repeat(63)}` },
      { name: '_a.b-c1' },
    ])
      assert.equal(isTaken(right), true, JSON.stringify(right));
    for (const wrong of [
      ...[
        { hosts: [] },
        { hosts: [''] },
        { selector: '' },
        { selector: '>>' },
        { attribute: 'Data' },
        { attribute: '1' },
        { type: 'x' },
      ],
      ...[{ all: 1 }, { more: 1 }, { name: '' }, { name: '1a' }, { name: 'a b' }, { name: `a${'b'.repeat(64)}` }],
    ])
      assert.equal(isTaken(wrong), false, JSON.stringify(wrong));
    assert.equal(extractRulesSchema.safeParse({ render: [] }).success, false);
  });
});

describe('readers of documents', () => {
  const pdf = { name: 'pdf', mediaTypes: ['application/pdf'], module: '' };
  const book = { name: 'book', mediaTypes: ['application/x-book'], module: '' };
  const rules = extractRulesWith([pdf, book]);

  it('a field of extract rules by the name of a reader switches the reader on', () => {
    assert.deepEqual(wantedReaders([pdf, book], rules.parse({})), []);
    assert.deepEqual(wantedReaders([pdf, book], rules.parse({ pdf: false, book: true })), [book]);
    assert.equal(rules.safeParse({ book: 1 }).success, false);
    assert.equal(compileExtractRules(rules.parse({ book: true }))('a.test'), undefined, 'pages have no more fields');
  });

  it('extract rules have no field for a reader that this program lacks', () => {
    assert.equal(extractRulesSchema.safeParse({ pdf: true }).success, false);
  });
});

describe('rules for pages', () => {
  it('extract rules that want nothing add nothing', () => {
    assert.equal(wishesOf({}), undefined);
  });

  it('extract rules ask for each part separately', () => {
    for (const part of ['mainText', 'markdown', 'language', 'metadata'])
      assert.deepEqual(wishesOf({ [part]: true }), { wanted: { ...nothing, [part]: true }, fields: [] }, part);
    for (const part of ['images', 'scripts', 'data']) {
      const mediaLinks = { ...nothing.mediaLinks, [part]: true };
      assert.deepEqual(wishesOf({ links: { [part]: true } }), { wanted: { ...nothing, mediaLinks }, fields: [] }, part);
    }
  });

  it('a field is taken only from its hosts', () => {
    const rules = { fields: [{ name: 'price', selector: '.p', hosts: ['*.shop.test', 'a.test'] }] };
    for (const host of ['a.test', 'x.shop.test']) {
      const { wanted, fields } = wishesOf(rules, host)!;
      assert.deepEqual([wanted, fields.map(({ name }) => name)], [{ ...nothing, tidyMarkup: true }, ['price']]);
    }
    for (const host of ['shop.test', 'b.test']) assert.equal(wishesOf(rules, host), undefined);
    assert.deepEqual(wishesOf({ ...rules, mainText: true }, 'b.test'), {
      wanted: { ...nothing, mainText: true },
      fields: [],
    });
  });
});
