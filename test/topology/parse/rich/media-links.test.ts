/** Images and scripts of a page as links, and the candidates of a srcset (HTML standard §4.8.4.2.2). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readMarkup } from '../../../../topology/parse/rich/markup.ts';
import { createMediaLinks, type MediaLinksWanted } from '../../../../topology/parse/rich/media-links.ts';
import { richLimits } from '../../../../topology/parse/rich/rich-limits.ts';
import { srcsetUrls as srcsetUrlsUpTo } from '../../../../topology/parse/srcset.ts';

const srcsetUrls = (srcset: string) => srcsetUrlsUpTo(srcset, richLimits.srcsetMax);

it('candidates are separated by the standard’s white space, which excludes vertical tabs and other blanks', () => {
  for (const blank of [' ', '\t', '\n', '\f', '\r']) {
    assert.deepEqual(
      srcsetUrls(`${blank}a.png${blank}1x,${blank}b.png${blank}`),
      ['a.png', 'b.png'],
      JSON.stringify(blank),
    );
  }
  for (const none of ['\v', '\b', '\x0e', '\u00a0']) assert.deepEqual(srcsetUrls(`a${none}b 1x`), [`a${none}b`]);
});

it('descriptors end with a comma outside parentheses', () => {
  assert.deepEqual(srcsetUrls('a.png x(1,2), b.png'), ['a.png', 'b.png']);
  assert.deepEqual(srcsetUrls('a.png x((1),2), b.png'), ['a.png', 'b.png']);
  assert.deepEqual(srcsetUrls('a.png ), b.png'), ['a.png', 'b.png']);
  assert.deepEqual(srcsetUrls('a.png x(1, b.png'), ['a.png']);
});

it('commas behind an address end it, and alone mean nothing', () => {
  assert.deepEqual(srcsetUrls('a.png,,, b.png,'), ['a.png', 'b.png']);
  assert.deepEqual(srcsetUrls(', ,'), []);
  assert.deepEqual(srcsetUrls(''), []);
  assert.deepEqual(srcsetUrls('a,b 1x'), ['a,b']);
});

it('a bounded number of candidates is taken', () => {
  const all = Array.from({ length: richLimits.srcsetMax + 3 }, (_, n) => `${n}.png`);
  assert.deepEqual(srcsetUrls(all.join(', ')), all.slice(0, richLimits.srcsetMax));
});

const htmlOf = (html: string, wanted: Partial<MediaLinksWanted>) => {
  const links = createMediaLinks({ images: false, scripts: false, ...wanted });
  const text = (text: string, raw: boolean) => {
    if (raw) links.rawText(text);
  };
  readMarkup(html, { open: links.open, close: () => {}, text }, () => false);
  return links.finish();
};

describe('links of images', () => {
  const html = `<img src=" a " srcset="b 1x, c 2x"><source src=d><svg><image src=e></svg><img src="" srcset=""><img src=a>
    <link rel=preload imagesrcset="f, g"><link href=h><video src=i></video><script src=j></script>`;

  it('links of images are those of img, source and image, and preloads', () => {
    assert.deepEqual(htmlOf(html, { images: true }), ['a', 'b', 'c', 'd', 'e', 'f', 'g']);
    assert.deepEqual(htmlOf(html, {}), []);
  });

  it('links of images are bounded in number', () => {
    const most = richLimits.mediaLinksMax;
    const many = Array.from({ length: most + 1 }, (_, n) => `<img src=${n}>`).join('');
    const found = htmlOf(many, { images: true });
    assert.deepEqual([found.length, found.at(-1)], [most, String(most - 1)]);
  });
});

describe('links of scripts', () => {
  it('links of scripts are src, and quoted absolute URLs in inline scripts', () => {
    const html = `<script src=/a.js></script><script>x = "http://b.test/1"; y = 'https:\\/\\/c.test\\/2'; z = \`http://d.test/\`;
      no = "http://e.test/ x"; no = "/path"; no = "http://f.test'; no = "ftp://g.test/"</script><style>"http://h.test/"</style>
      <img src=i>`;
    assert.deepEqual(htmlOf(html, { scripts: true }), [
      '/a.js',
      'http://b.test/1',
      'https://c.test/2',
      'http://d.test/',
    ]);
    assert.deepEqual(htmlOf(html, { images: true }), ['i']);
    const long = (chars: number) => htmlOf(`<script>"http://${'x'.repeat(chars)}"</script>`, { scripts: true }).length;
    assert.deepEqual([long(2_000), long(2_001)], [1, 0]);
  });
});

describe('links in data attributes', () => {
  it('links in data attributes are absolute URLs or paths', () => {
    const html = `<p data-src=" /a " data-x=word data-y="./b" data-z="../c" data-u=https://d.test/ data-t=".../e" data-s="/f g"
      title=/h data-srcset="/i 1x, word 2x, /j 2x" srcset=/k><img data-src=/l src=m data-v="ftp://x/" data-w='/"'>`;
    const found = ['/a', './b', '../c', 'https://d.test/', '/i', '/j', '/l'];
    assert.deepEqual(htmlOf(html, { data: true }), found);
    assert.deepEqual(htmlOf(html, { data: true, images: true }), [...found, 'm']);
    assert.deepEqual(htmlOf(html, { data: false }), []);
  });
});
