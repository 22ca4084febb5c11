/** A document that a plugin reads. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fetcherLimits } from '../../../../services/fetcher/fetcher-limits.ts';
import type { PageReader } from '../../../../services/fetcher/pages/page-reader.ts';
import { parseByHook } from '../../../../services/fetcher/pages/parse-by-hook.ts';
import { headerDirectives } from '../../../../topology/parse/directives.ts';

const url = 'https://a.test/x';

function parsed(read: object, robots = '', linksMax = 2) {
  const hooks = { parse: async () => read } as unknown as PageReader['hooks'];
  const directives = headerDirectives(robots === '' ? [] : [robots], 'crawlstream');
  return parseByHook({ hooks, linksMax }, url, 'text/x', Buffer.from(''), directives);
}

describe('a document that a plugin parses', () => {
  it('a document that a plugin parses has only what the plugin returns', async () => {
    const { parsed: page, rich } = await parsed({});
    assert.deepEqual(
      { ...page, robots: null },
      {
        ...{
          links: [],
          linksDropped: 0,
          nofollowed: [],
          title: '',
          description: '',
          text: '',
          canonical: '',
          base: url,
        },
        ...{ metaRefresh: null, robots: null, declaredLanguage: '', charset: '', complete: true },
      },
    );
    assert.equal(rich, null);
  });

  it('a document that a plugin parses has its fields as texts', async () => {
    const { rich } = await parsed({ fields: { price: ['1', '2'] } });
    assert.deepEqual(rich, {
      ...{ mainText: '', markdown: '', language: '', declaredLanguage: '', metadata: null, complete: true },
      fields: [{ name: 'price', type: 'string', values: ['1', '2'], problem: '' }],
    });
  });

  it('a document that a plugin parses has each link once, resolved, up to the link limit', async () => {
    const links = ['/1', 'mailto:a@a.test', '/1', '/2', '/3', '/2', '/4'];
    const { parsed: page } = await parsed({ links });
    assert.deepEqual(
      [page.links, page.linksDropped, page.nofollowed],
      [['https://a.test/1', 'https://a.test/2'], 2, []],
    );
    const { parsed: held } = await parsed({ links }, 'nofollow');
    assert.deepEqual([held.links, held.linksDropped], [[], 0]);
    assert.deepEqual(held.nofollowed, ['https://a.test/1', 'https://a.test/2']);
  });

  it('a document that a plugin parses has text up to the limit, and says if it was cut', async () => {
    const { textCharsMax: most } = fetcherLimits;
    const of = async (length: number) => {
      const text = 'x'.repeat(length);
      const {
        title,
        description,
        text: kept,
        complete,
      } = (await parsed({ title: text, description: text, text })).parsed;
      return [title.length, description.length, kept.length, complete];
    };
    assert.deepEqual(await of(most), [most, most, most, true]);
    assert.deepEqual(await of(most + 1), [most, most, most, false]);
  });
});
