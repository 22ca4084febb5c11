/**
 * Our scanner beside linkedom's DOM: on ordinary markup both find the same links, title and text; where linkedom departs
 * from the HTML standard, ours does not (docs/decisions/0002-own-html-scanner.md, 0009-linkedom-for-selectors.md).
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseHTML } from 'linkedom';
import { numbers } from '../../../lab/web/random.ts';
import { parsePage } from '../../../topology/parse/page.ts';

const url = 'http://example.com/dir/page';

function byOurs(html: string): { readonly links: readonly string[]; readonly title: string } {
  const { links, title } = parsePage(html, {
    url,
    contentType: 'text/html; charset=utf-8',
    robotsTags: [],
    productToken: 'ExampleBot',
    linksMax: 1_000,
    textCharsMax: 100_000,
    byteBudget: 8 * 2 ** 20,
    expired: () => false,
  });
  return { links: [...links].sort(), title: title ?? '' };
}

function byLinkedom(html: string): { readonly links: readonly string[]; readonly title: string } {
  const { document } = parseHTML(html);
  const links = new Set<string>();
  for (const anchor of document.querySelectorAll('a[href], area[href]')) {
    const target = new URL(anchor.getAttribute('href')!, url);
    target.hash = '';
    if (/^https?:$/.test(target.protocol)) links.add(target.href);
  }
  const title = document.querySelector('title')?.textContent ?? '';
  return { links: [...links].sort(), title: title.replace(/\s+/g, ' ').trim() };
}

/** Markup as templates write it: closed, nested, quoted or not, with entities, comments, scripts and tables. */
function randomPage(next: () => number): string {
  const pick = <T>(list: readonly T[]) => list[next() % list.length]!;
  const words = () =>
    Array.from({ length: 1 + (next() % 4) }, () => pick(['red', 'green', 'a &amp; b', 'blau', 'ä'])).join(' ');
  const href = () =>
    pick(['a', 'b/c', '/d?x=1&amp;y=2', '../e', '#top', 'http://o.example/f', 'mailto:a@b', '?q', './', 'g%20h']);
  const anchor = () =>
    pick([
      () => `<a href="${href()}">${words()}</a>`,
      () => `<a class=x href='${href()}' title="1 > 0">${words()}</a>`,
      () => `<a name=here>${words()}</a>`,
      () => `<!-- <a href="hidden">no</a> -->`,
      () => `<script>document.write('<a href="script">no</a>')</script>`,
      () => `<style>a[href="style"] > b { color: red }</style>`,
      () => `<textarea><a href="area">no</a></textarea>`,
    ])();
  const block = (depth: number): string => {
    const inner = () => (depth > 0 && next() % 2 === 0 ? block(depth - 1) : `${words()} ${anchor()}`);
    const tag = pick(['div', 'p', 'section', 'li', 'blockquote', 'td', 'h2', 'span']);
    // A `p` holds no blocks: a parser closes it before one.
    return tag === 'p' ? `<p>${words()} ${anchor()}</p>` : `<${tag}>${inner()}${inner()}</${tag}>`;
  };
  const body = Array.from({ length: 1 + (next() % 5) }, () => block(3)).join('\n');
  return `<!doctype html><html><head><title> ${words()} </title></head><body>${body}</body></html>`;
}

it('the page parser finds the links and the title that a DOM finds, on random pages', () => {
  const next = numbers(42);
  let links = 0;
  for (let n = 0; n < 600; n++) {
    const html = randomPage(next);
    const ours = byOurs(html);
    assert.deepEqual(ours, byLinkedom(html), html);
    links += ours.links.length;
  }
  assert.ok(links > 1_000, `${links} links`);
});

describe('the page parser follows the standard where linkedom departs from it', () => {
  const cases: readonly (readonly [what: string, html: string])[] = [
    ['attributes in upper case', '<A HREF="found">x</A>'],
  ];
  for (const [what, html] of cases) {
    it(what, () => {
      assert.deepEqual(byOurs(html).links, ['http://example.com/dir/found']);
      assert.deepEqual(byLinkedom(html).links, [], 'linkedom has been mended: look at the decision again');
    });
  }
});
