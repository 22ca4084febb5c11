import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseHTML } from 'linkedom';
import MarkdownIt from 'markdown-it';
import { numbers } from '../../../../lab/web/random.ts';
import { readRichPage } from '../../../../topology/parse/rich/rich-page.ts';

const wanted = {
  ...{ mainText: true, markdown: true, language: false, metadata: false, tidyMarkup: false },
  mediaLinks: { images: false, scripts: false },
};
const base = 'http://a.test/docs/page';
const filling = 'The harbor has a view of the town below it and of the river that leads there. '.repeat(5).trim();
/** What stands in the main part of a page, after enough prose. */
function markdown(html: string): string {
  const page = `<main><p>${filling}</p>${html}</main>`;
  const { markdown } = readRichPage(page, wanted, base, () => false);
  assert.ok(markdown.startsWith(filling));
  return markdown.slice(filling.length).trim();
}

const cases: readonly [about: string, html: string, markdown: string][] = [
  ['headings', '<h1>One</h1><p>text</p><h3>Three</h3><p>more</p>', '# One\n\ntext\n\n### Three\n\nmore'],
  [
    'emphasis',
    'a <b>bold</b>, <em>slanted </em>and<strong> both <i>of</i> them</strong>',
    'a **bold**, *slanted* and **both of them**',
  ],
  [
    'links in full',
    '<a href="../x?y=(1)">there</a> <a href="#top">up</a> <a>name</a>',
    '[there](http://a.test/x?y=%281%29) up name',
  ],
  [
    'links that go nowhere keep their text',
    'one may <a href="javascript:alert(1)">run</a> it or <a href="mailto:x@y.z">write</a> to us',
    'one may run it or write to us',
  ],
  [
    'marks before links',
    'Go! <a href="/x">there!</a> now!<a href="/y">here</a>',
    'Go! [there!](http://a.test/x) now\\![here](http://a.test/y)',
  ],
  ['code', 'call <code>f(`x`, *y)</code> or <kbd>Ctrl</kbd>', 'call ``f(`x`, *y)`` or `Ctrl`'],
  [
    'code as it stands',
    '<pre><code>if (a) {\n    b();  // ```\n}\n</code></pre>',
    '````\nif (a) {\n    b();  // ```\n}\n````',
  ],
  ['lists', '<ul><li>one<li>two<ul><li>deep</ul><li><p>a</p><p>b</p></ul>', '- one\n- two\n  - deep\n- a\n\n  b'],
  ['numbered lists', '<ol><li>one</li><li>two</li></ol><p>x</p><ol><li>one</li></ol>', '1. one\n2. two\n\nx\n\n1. one'],
  ['quotations', '<blockquote><p>said</p><ul><li>item</li></ul></blockquote>', '> said\n>\n> - item'],
  ['tables', '<table><tr><th>A<th>B</tr><tr><td>1<td>2|3</tr></table>', '| A | B |\n| --- | --- |\n| 1 | 2\\|3 |'],
  [
    'tables without a head',
    '<table><tr><td>1<td>2</tr><tr><td>3</tr></table>',
    '|  |  |\n| --- | --- |\n| 1 | 2 |\n| 3 |  |',
  ],
  [
    'tables with paragraphs in cells',
    '<table><tr><th>A<th>B</tr><tr><td><p>1</p><p>2</p><td><p>3</p>4</tr></table>',
    '| A | B |\n| --- | --- |\n| 1 2 | 3 4 |',
  ],
  ['tables for the layout', '<table><tr><td><h2>H</h2><p>left</p><td>right</tr></table>', '## H\n\nleft\n\nright'],
  [
    'terms',
    '<dl><dt>term<dd>what it is<dt><code>x</code><dd><p>a</p><p>b</p></dl>',
    '**term** what it is\n\n**`x`**\n\na\n\nb',
  ],
  ['line breaks', '<p>one<br>two</p>', 'one\\\ntwo'],
  [
    'signs that are none',
    '1. no list, # no heading, *no* _sign_ a_b [x](y) <b>&lt;i&gt;</b> &amp;amp;',
    '1\\. no list, # no heading, \\*no\\* \\_sign\\_ a_b \\[x\\](y) **\\<i\\>** \\&amp;',
  ],
  [
    'signs at the beginning',
    '<p># x</p><p>- y</p><p>+</p><p>===</p><p>2) z</p>',
    '\\# x\n\n\\- y\n\n\\+\n\n\\===\n\n2\\) z',
  ],
];

for (const [about, html, expected] of cases)
  test(`Markdown of the main text: ${about}`, () => {
    assert.equal(markdown(html), expected);
  });

const reader = new MarkdownIt({ html: true });

/** What a reader of Markdown, which is not ours, makes of it. */
function readBack(text: string) {
  const { document } = parseHTML(`<html><body>${reader.render(text)}</body></html>`);
  const links = [...document.querySelectorAll('a')].map((link) => link.getAttribute('href')!);
  // Cells and lines stand apart.
  for (const element of document.querySelectorAll('td, th, br, p, li')) element.append(' ');
  return { words: wordsOf(document.body.textContent ?? ''), links, html: document.body.innerHTML };
}

const wordsOf = (text: string) => text.split(/\s+/).filter((word) => word !== '');

test('an independent reader of Markdown recovers the words of the main text and its links', () => {
  const signs = [
    '*',
    '**',
    '_',
    '__',
    '`',
    '``',
    '[',
    ']',
    '](',
    '!',
    '!',
    '&lt;',
    '&gt;',
    '#',
    '-',
    '+',
    '1.',
    '|',
    '~~',
    '\\',
    '&amp;amp;',
    '===',
    '---',
    '🎉',
    '“so”',
    '中文',
    '.',
    '…',
  ];
  const plain = ['river', 'a_b', 'x', 'harbor.', '(see)', 'C++', 'f()', 'don’t'];
  for (let seed = 1; seed <= 300; seed++) {
    const next = numbers(seed);
    const random = () => next() / 2 ** 32;
    const any = <T>(all: readonly T[]) => all[Math.floor(random() * all.length)]!;
    const inline = (deep: number): string =>
      Array.from({ length: 1 + Math.floor(random() * 5) }, () => {
        const glue = any(['', ' ', ' ']);
        const kind = random();
        if (deep > 2 || kind < 0.5) return any([...plain, ...signs]) + glue;
        const name = any(['b', 'em', 'code', 'strong', 'i', 'span', 'a']);
        const start = name === 'a' ? `<a href="/to/${Math.floor(random() * 1000)}?a=(b)*_">` : `<${name}>`;
        return `${start}${any(['', ' '])}${inline(deep + 1)}${any([`</${name}>`, `</${name}>`, `</${name}>`, ''])}${glue}`;
      }).join('');
    const block = (deep: number): string => {
      const kind = Math.floor(random() * 9);
      if (deep > 2 || kind < 3) return `<p>${inline(0)}</p>`;
      if (kind === 3) return `<h${1 + Math.floor(random() * 6)}>${inline(1)}</h2>`;
      if (kind === 4) return `<pre>${inline(1)}\n    ${inline(1)}</pre>`;
      if (kind === 5) return `<blockquote>${block(deep + 1)}${block(deep + 1)}</blockquote>`;
      if (kind === 6) return `<dl><dt>${inline(1)}<dd>${inline(1)}</dl>`;
      if (kind === 7)
        return `<table>${`<tr>${`<td>${inline(1)}</td>`.repeat(2)}</tr>`.repeat(1 + Math.floor(random() * 3))}</table>`;
      const list = any(['ul', 'ol']);
      return `<${list}>${Array.from({ length: 2 }, () => `<li>${random() < 0.5 ? inline(0) : block(deep + 1)}</li>`).join('')}</${list}>`;
    };
    const html = `<main><p>${filling}</p>${Array.from({ length: 4 }, () => block(0)).join('')}</main>`;
    const page = readRichPage(html, wanted, base, () => false);
    const back = readBack(page.markdown);
    const about = `seed ${seed}\n${html}\n\n${page.markdown}\n\n${back.html}`;
    // A word may be cut by a mark; what stands between blanks is not what is asked here.
    assert.equal(back.words.join(''), wordsOf(page.mainText).join(''), about);
    for (const link of back.links) assert.match(link, /^http:\/\/a\.test\/to\/\d+\?a=%28b%29\*_$/, about);
  }
});
