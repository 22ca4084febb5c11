/** Pages that are dear to read as Markdown: others have their turn, and the pages' sites are read apart. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { createExtractor, type ExtractorOptions } from '../../../../services/fetcher/pages/extract.ts';
import { compileExtractRules, extractRulesSchema } from '../../../../services/fetcher/pages/extract-rules.ts';

const body = Buffer.from('<title>T</title><a href=/b>b</a>');
const page = {
  ...{ url: 'http://a.test/', contentType: 'text/html', robotsTags: [], productToken: 'crawlstream' },
  ...{ linksMax: 10, textCharsMax: 100, byteBudget: 1_000 },
};

function open(test: TestContext, options: ExtractorOptions) {
  const extractor = createExtractor(options);
  test.after(() => extractor.close());
  return extractor;
}

/** Small as it is sent, and dear to read as Markdown. */
const dearPages: Readonly<Record<string, string>> = {
  'quotes and paragraphs': '<blockquote><p>a'.repeat(16_000),
  'lists in lists': `<main><p>${'a '.repeat(500)}</p>${'<ul><li>a'.repeat(28_000)}`,
  'a table of one row': `<table><tr>${'<td>a'.repeat(50_000)}`,
  'tables in tables': '<table><tr><td>'.repeat(16_000),
  'emphasis in emphasis': `<p>${'<b><i>a'.repeat(35_000)}`,
  'links in links': `<p>${'<a href=/b>a<p>'.repeat(16_000)}`,
  'spaces and newlines': `<p>${'a \n\t'.repeat(60_000)}`,
  underlines: `<p>${'_*[`|'.repeat(50_000)}`,
  divisions: '<div>'.repeat(50_000),
  'a script of data': `<script type="application/ld+json">${'['.repeat(240_000)}</script>`,
  'scripts of data': '<script type="application/ld+json">[{}]</script>'.repeat(5_000),
  definitions: '<dl><dt>a<dd>b'.repeat(17_000),
  headings: '<h1>a<h2>b'.repeat(25_000),
  preformatted: '<pre><code>a\n'.repeat(18_000),
};

const richWishes = compileExtractRules(
  extractRulesSchema.parse({ mainText: true, markdown: true, language: true, metadata: true }),
)('a.test')!;

test('a page that is expensive to convert to Markdown delays nobody', async (t) => {
  const extractor = open(t, { timeoutMs: 500 });
  // What is loaded once is not the page's.
  await extractor.parse(body, page, richWishes);
  const options = { ...page, byteBudget: 1_000_000, textCharsMax: 100_000, linksMax: 10_000 };
  for (const [at, [name, html]] of Object.entries(dearPages).entries())
    await t.test(name, async () => {
      const before = process.cpuUsage();
      const url = `http://dear-${at}.test/`;
      const parsing = extractor.parse(Buffer.from(html.slice(0, 250_000)), { ...options, url }, richWishes);
      const { user, system } = process.cpuUsage(before);
      // Until the others have their turn, by the processor's time: the machine may be busy.
      assert.ok((user + system) / 1_000 < 150, `${(user + system) / 1_000} ms`);
      await parsing;
    });
});

test('a site with an expensive page is parsed apart until one of its pages is cheap', async (t) => {
  const extractor = open(t, { timeoutMs: 500 });
  const options = { ...page, byteBudget: 1_000_000 };
  await extractor.parse(body, page, richWishes);
  await extractor.parse(Buffer.from(dearPages['quotes and paragraphs']!), options, richWishes);
  const apart = extractor.parse(body, options, richWishes);
  assert.ok(apart instanceof Promise);
  assert.ok(((await apart)?.hereMs ?? 0) < 30);
  for (let more = 0; more < 20; more++) {
    const next = extractor.parse(body, options, richWishes);
    if (!(next instanceof Promise)) return;
    await next;
  }
  assert.fail('its pages are read apart for ever');
});
