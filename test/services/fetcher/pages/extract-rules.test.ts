/** What pages of a host are asked for: what the rules want of all, and fields of some hosts. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compileExtractRules, extractRulesSchema } from '../../../../services/fetcher/pages/extract-rules.ts';

const wishesOf = (rules: object, hostname = 'a.test') => compileExtractRules(extractRulesSchema.parse(rules))(hostname);
const nothing = {
  mainText: false,
  markdown: false,
  language: false,
  metadata: false,
  mediaLinks: { images: false, scripts: false, data: false },
  tidyMarkup: false,
};

describe('rules for pages', () => {
  it('ask for nothing where they want nothing', () => {
    assert.equal(wishesOf({}), undefined);
    assert.equal(wishesOf({ pdf: true }), undefined);
  });

  it('ask for each part by itself', () => {
    for (const part of ['mainText', 'markdown', 'language', 'metadata'])
      assert.deepEqual(wishesOf({ [part]: true }), { wanted: { ...nothing, [part]: true }, fields: [] }, part);
    for (const part of ['images', 'scripts', 'data']) {
      const mediaLinks = { ...nothing.mediaLinks, [part]: true };
      assert.deepEqual(wishesOf({ links: { [part]: true } }), { wanted: { ...nothing, mediaLinks }, fields: [] }, part);
    }
  });

  it('ask hosts of a field for it, and no others', () => {
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
