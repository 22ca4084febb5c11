import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseLimits } from '../../../topology/parse/parse-limits.ts';
import { cssRequisites, htmlRequisites } from '../../../topology/parse/requisites.ts';

const url = 'http://a.test/dir/page';
const of = (html: string) => htmlRequisites(html, url).map((one) => one.replace('http://a.test', ''));

describe('the requisites of a page', () => {
  for (const [what, html, expected] of [
    [
      'candidates without blanks',
      '<img srcset="/a.png 1x,/b.png 2x"><img srcset="/c,w_2.png 1x,/d.png">',
      ['/a.png', '/b.png', '/c,w_2.png', '/d.png'],
    ],
    ['candidates of preloads', '<link rel=preload imagesrcset="/a.png 1x,/b.png 2x">', ['/a.png', '/b.png']],
    [
      'values without quotes to their end',
      '<img src=/u.png?a=1&b="2"><img src = "/v>w.png"><img alt=it\'s src=/x.png>',
      ['/u.png?a=1&b=%222%22', '/v%3Ew.png', '/x.png'],
    ],
    [
      'styles with much white space',
      `<style>b{background:url(${' '.repeat(50)}\n/c.png\n)}@import"d.css";</style>`,
      ['/c.png', '/dir/d.css'],
    ],
    [
      'escapes of styles',
      `<style>b{background:url(/a\\31.png),url(/b\\)c.png),url("/d\\"e.png"),url('/f\\000031 g.png')}@import "/h\\.css"</style>`,
      ['/a1.png', '/b)c.png', '/d%22e.png', '/f1g.png', '/h.css'],
    ],
    [
      'escapes of styles that are no character',
      "<style>b{background:url('/a\\0 b.png')}</style>",
      ['/a%EF%BF%BDb.png'],
    ],
    [
      'what stands behind hundreds of the same',
      `${'<img src=/s.png><img src="data:image/gif;base64,R0lG">'.repeat(3_000)}<img src=/m.png>`,
      ['/s.png', '/m.png'],
    ],
    [
      'nothing of comments, however they end',
      '<!--><img src=/1.png><!---><img src=/2.png><!-- <img src=/x> --!><img src=/3.png><!--<img src=/y>',
      ['/1.png', '/2.png', '/3.png'],
    ],
    [
      'nothing of raw text',
      '<xmp><img src=/x></xmp><title><img src=/y></title><textarea><img src=/z></textarea><img src=/1.png>',
      ['/1.png'],
    ],
    [
      'style sheets and icons, not other links',
      '<link rel=stylesheet href=a.css><LINK REL="shortcut icon" HREF="/i.ico"><link rel=next href=n>',
      ['/dir/a.css', '/i.ico'],
    ],
    [
      'scripts and pictures, entities decoded',
      '<script src="s.js?a=1&amp;b=2"></script><img src=\'p.png\'>',
      ['/dir/s.js?a=1&b=2', '/dir/p.png'],
    ],
    [
      'each candidate of a srcset',
      '<img srcset="a.png 1x, b.png 2x"><source srcset="c.png">',
      ['/dir/a.png', '/dir/b.png', '/dir/c.png'],
    ],
    [
      'posters, objects, inputs',
      '<video poster=v.jpg><object data=o.svg><input type=image src=b.gif>',
      ['/dir/v.jpg', '/dir/o.svg', '/dir/b.gif'],
    ],
    [
      'what styles in the page name',
      '<style>@import "x.css"; b{background:url( \'y.png\' )}</style><p style="background:url(z.png)">',
      ['/dir/x.css', '/dir/y.png', '/dir/z.png'],
    ],
    ['by the base of the page', '<base href="/other/"><img src=p.png>', ['/other/p.png']],
    ['each once, without fragments', '<use href="s.svg#a"><use href="s.svg#b"><img src="s.svg">', ['/dir/s.svg']],
    [
      'nothing of scripts, comments, or data',
      '<script>"<img src=a>"</script><!-- <img src=b> --><img src="data:image/png;base64,AA"><a href=c>',
      [],
    ],
    ['what comes behind a mark in single quotes', "<img alt='a > b' src=p.png>", ['/dir/p.png']],
    [
      'what drawings name, in either spelling',
      '<image href=a.png><image xlink:href=b.png><use xlink:href="c.svg#x">',
      ['/dir/a.png', '/dir/b.png', '/dir/c.svg'],
    ],
    ['nothing that an element names which loads nothing', '<p src=a.png><img href=b.png><a data=c><link src=d>', []],
    ['nothing of the page itself', '<img src=""><use href="#a"><p style="fill:url(#b)"><img src="#">', []],
    ['what comes behind a comment', '<!-- a > <img src=a.png> --><img src=b.png>', ['/dir/b.png']],
    [
      'what comes behind an empty comment',
      '<!--><img src=a.png><!---><img src=b.png><!----><img src=c.png>',
      ['/dir/a.png', '/dir/b.png', '/dir/c.png'],
    ],
    ['nothing of a comment without end', '<img src=a.png><!-- <img src=b.png>', ['/dir/a.png']],
    ['the first attribute of a name', '<img src=a.png src=b.png>', ['/dir/a.png']],
    [
      'each style by itself',
      '<style>a{background:url(a.png)}</style><style>b{background:url(b.png)}</style>',
      ['/dir/a.png', '/dir/b.png'],
    ],
    ['by the first base of several', '<base href="/a/"><base href="/b/"><img src=p.png>', ['/a/p.png']],
    [
      'no style that a script writes',
      '<script>"url(x.png)"</script><script src=s.js>url(y.png)</script>',
      ['/dir/s.js'],
    ],
    ['what comes behind a tag that holds a mark in quotes', '<img alt="a > b" src=p.png>', ['/dir/p.png']],
  ] as const) {
    it(what, () => assert.deepEqual(of(html), expected));
  }

  it('the requisites of a style sheet are imports and urls, absolute', () => {
    const css =
      '@import url(a.css); @IMPORT "b.css" screen; @font-face{src:url("../f.woff2?x") format("woff2")} i{cursor:url(data:x)}';
    assert.deepEqual(cssRequisites(css, 'http://c.test/s/t.css'), [
      ...['http://c.test/s/a.css', 'http://c.test/s/b.css', 'http://c.test/f.woff2?x'],
    ]);
  });

  it('the requisites of a page are bounded, and so is the work on any markup', () => {
    const many = Array.from({ length: parseLimits.requisitesMax + 9 }, (_, n) => `<img src=${n}.png>`).join('');
    assert.equal(of(many).length, parseLimits.requisitesMax);
    for (const part of [
      '<',
      '<img ',
      '<img src="',
      'url(',
      '<style>url( ',
      '<!--',
      '<script>',
      '<img a=',
      "url('",
      '<p style=',
    ]) {
      const before = process.cpuUsage();
      of(part.repeat(2_000_000 / part.length));
      cssRequisites(part.repeat(2_000_000 / part.length), url);
      const { user } = process.cpuUsage(before);
      // Quadratic work on two megabytes takes minutes.
      assert.ok(user < 10_000_000, `${part}: ${user} us`);
    }
  });
});

it('the requisites of a page exclude addresses that are too long', () => {
  const longest = `/${'x'.repeat(parseLimits.hrefCharsMax - 1)}`;
  assert.deepEqual(of(`<img src=${longest}><img src=${longest}x>`), [longest]);
});

it('the requisites of a page and of a style sheet have a maximum number', () => {
  const names = Array.from({ length: parseLimits.requisitesMax + 5 }, (_, n) => `${n}.png`);
  const first = names.slice(0, parseLimits.requisitesMax).map((name) => `/dir/${name}`);
  assert.deepEqual(of(names.map((name) => `<img src=${name}>`).join('')), first);
  assert.deepEqual(of(`<img srcset="${names.join(', ')}">`), first);
  const css = names.map((name) => `url(${name})`).join(' ');
  assert.deepEqual(cssRequisites(css, url).length, parseLimits.requisitesMax);
});
