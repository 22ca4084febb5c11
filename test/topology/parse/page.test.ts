import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ParseOptions, parsePage } from '../../../topology/parse/page.ts';
import { parseLimits } from '../../../topology/parse/parse-limits.ts';

const options: ParseOptions = {
  url: 'http://example.com/dir/page',
  contentType: 'text/html; charset=utf-8',
  robotsTags: [],
  productToken: 'ExampleBot',
  linksMax: 1000,
  textCharsMax: 100_000,
  byteBudget: 8 * 1024 * 1024,
  expired: () => false,
};
const parse = (html: string, more: Partial<ParseOptions> = {}) => parsePage(html, { ...options, ...more });

it('a page declares its language on its root element, in HTML or XHTML, or not at all', () => {
  assert.equal(parse('<!doctype html><HTML class=x LANG="de-AT"><p lang=en>x').declaredLanguage, 'de-at');
  assert.equal(parse('<html xmlns="http://www.w3.org/1999/xhtml" xml:lang="fr"><p>x').declaredLanguage, 'fr');
  assert.equal(parse('<html><body lang=en>x').declaredLanguage, '');
});

describe('an element whose content is text', () => {
  it('an element whose content is text has no links and no comments, and its text counts if it is visible', () => {
    for (const name of ['xmp', 'XMP', 'noembed', 'noframes', 'iframe', 'textarea', 'title', 'script', 'style']) {
      const page = parse(`<p>a<${name}><!-- <a href=/1>x</a></${name}><a href=/2>b</a>`);
      assert.deepEqual(page.links, ['http://example.com/2'], name);
      assert.equal(page.text, /xmp/i.test(name) ? 'a <!-- <a href=/1>x</a> b' : 'a b', name);
    }
    const rest = parse('<a href=/1>a</a><plaintext><a href=/2>b</a></plaintext><a href=/3>');
    assert.deepEqual(rest.links, ['http://example.com/1']);
  });
});

describe('links', () => {
  it('links are absolute, in document order, each once, without fragments', () => {
    const page = parse('<a href="b#1">x</a><AREA HREF=/c><a href=b#2><a href="http://o.example/?a=1&amp;b=2">');
    assert.deepEqual(page.links, ['http://example.com/dir/b', 'http://example.com/c', 'http://o.example/?a=1&b=2']);
  });
  it('links come from frames, and from link elements that lead to pages', () => {
    const page = parse(
      '<link rel="stylesheet" href=s.css><link rel="alternate stylesheet" href=t.css><link rel=next href=2>' +
        '<link rel="alternate" href=/feed><iframe src=/i></iframe><frame src=/f><img src=/x.png><script src=/x.js></script>',
    );
    const paths = page.links.map((link) => new URL(link).pathname);
    assert.deepEqual(paths, ['/dir/2', '/feed', '/i', '/f']);
  });
  it('links have their position: content, navigation or footer; of several, the best', () => {
    const { links, places } = parse(
      '<a href=0><header><a href=1></header><nav><a href=2><a href=5></nav><main><nav><a href=3></nav><article><header>' +
        '<a href=4></header><a href=5><footer><a href=6></footer></article></main><aside><a href=7></aside>' +
        '<footer><nav><a href=8></nav></footer></main></footer><a href=9>',
    );
    const reported = links.map((link) => `${link.at(-1)} ${places?.get(link) ?? ''}`.trim());
    assert.deepEqual(reported, [
      '0',
      '1 navigation',
      '2 navigation',
      '5 content',
      '3 navigation',
      '4 content',
      '6 content',
      '7 navigation',
      '8 footer',
      '9',
    ]);
    assert.equal(parse('<a href=1>').places, undefined);
  });
  it('links are dropped one by one if they are nofollow', () => {
    const page = parse(
      '<a rel="x NOFOLLOW" href=1><a rel=ugc href=2><a rel=sponsored href=3><a rel=nofollowing href=4>',
    );
    assert.deepEqual(page.links, ['http://example.com/dir/4']);
  });
  it('links are marked if they, or the page, are nofollow', () => {
    const apart = parse('<a rel=nofollow href=1><a rel=ugc href=2#x><a rel=nofollow href=2><a href=3>');
    assert.deepEqual(apart.nofollowed, ['http://example.com/dir/1', 'http://example.com/dir/2']);
    assert.deepEqual(apart.links, ['http://example.com/dir/3']);
    const whole = parse('<a href=1><a rel=nofollow href=2><meta name=robots content=none>');
    assert.deepEqual(whole.nofollowed, ['http://example.com/dir/2', 'http://example.com/dir/1']);
  });
  it('links are empty if the page is nofollow, in its markup or its headers', () => {
    assert.deepEqual(parse('<a href=1><meta name=robots content=nofollow>').links, []);
    assert.deepEqual(parse('<a href=1>', { robotsTags: ['nofollow'] }).links, []);
    assert.deepEqual(parse('<a href=1>', { robotsTags: ['otherbot: nofollow'] }).links.length, 1);
  });
  it('links with other schemes, or malformed ones, are dropped', () => {
    const hrefs = ['javascript:x()', 'mailto:a@b', 'ftp://a/', 'data:,x', 'http://[', 'http://', 'tel:1'];
    assert.deepEqual(parse(hrefs.map((href) => `<a href="${href}">`).join('')).links, []);
  });
  it('links resolve against the first base of the page, also those before it', () => {
    const page = parse('<a href=a><base target=_top><base href=/x/><base href=/y/><a href=b>');
    assert.deepEqual(page.links, ['http://example.com/x/a', 'http://example.com/x/b']);
    assert.equal(page.base, 'http://example.com/x/');
    assert.equal(parse('<base href="data:,x"><a href=a>').base, options.url);
  });
  it('links in comments, scripts, styles and text areas are ignored', () => {
    const page = parse(
      '<!-- <a href=1> --><script>"<a href=2>"</script><style><a href=3></style><textarea><a href=4></textarea>',
    );
    assert.deepEqual(page.links, []);
  });
  it('links above the limit are counted', () => {
    const page = parse('<a href=1><a href=2><a href=3><a href=2><a href=4>', { linksMax: 2 });
    assert.deepEqual([page.links.length, page.linksDropped], [2, 2]);
  });
  it('links above the limit are first dropped for other hosts', () => {
    const page = parse('<a href="http://o.example/1"><a href=2><a href="http://o.example/3"><a href=4>', {
      linksMax: 3,
    });
    assert.deepEqual(page.links, ['http://example.com/dir/2', 'http://example.com/dir/4', 'http://o.example/1']);
    assert.equal(page.linksDropped, 1);
  });
  it('links to alternates are those to pages and to the first feed, not to formats for machines', () => {
    const alternate = (type: string, href: string) => `<link rel="alternate" type="${type}" href="${href}">`;
    const page = parse(
      `<link rel=alternate hreflang=de href=/de>${alternate('text/html', '/print')}` +
        `${alternate('Application/RSS+xml; charset=utf-8', '/feed/')}${alternate('application/rss+xml', '/comments/feed/')}` +
        `${alternate('application/atom+xml', '/atom')}${alternate('application/json', '/wp-json/wp/v2/posts/1')}` +
        `${alternate('application/json+oembed', '/oembed')}${alternate('text/xml+oembed', '/oembed?format=xml')}` +
        alternate('application/x-wiki', '/edit'),
    );
    const paths = page.links.map((link) => new URL(link).pathname);
    assert.deepEqual(paths, ['/de', '/print', '/feed/']);
  });
  it('links use the first of two attributes of a name, and none from an unfinished tag', () => {
    assert.deepEqual(parse('<a href=1 HREF=2><a href="3').links, ['http://example.com/dir/1']);
  });
  it('links are found across slices of the input', () => {
    const { sliceChars } = parseLimits;
    for (let shift = 0; shift < 40; shift++) {
      const html = `${'x'.repeat(sliceChars - shift)}<a class="y" href="/found?a=1&amp;b=2">`;
      assert.deepEqual(parse(html).links, ['http://example.com/found?a=1&b=2'], `${shift}`);
    }
  });
});

describe('text', () => {
  it('text has its blanks collapsed, runs on over inline elements and breaks at others', () => {
    const page = parse(' <p>a <b>b</b>c\n\t<i>d</i></p><p>e&nbsp;&nbsp;f<br>g<ul><li>h<li>i</ul>');
    assert.equal(page.text, 'a bc d e f g h i');
  });
  it('text is the visible text', () => {
    const page = parse(
      '<title>t</title>a<script>s</script><style>s</style><noscript>n</noscript><template>x</template>b',
    );
    assert.equal(page.text, 'a b');
    assert.equal(page.title, 't');
  });
  it('text has its entities decoded, across slices too', () => {
    assert.equal(parse('&lt;&#x41;&copy&notit; &bogus; &').text, '<A©¬it; &bogus; &');
    for (let shift = 0; shift < 8; shift++) {
      assert.ok(parse(`${'x'.repeat(parseLimits.sliceChars - shift)}&amp;y`).text.endsWith('x&y'));
    }
  });
  it('text is cut at its limit, never inside a character', () => {
    assert.equal(parse('<p>abc<p>def', { textCharsMax: 5 }).text, 'abc d');
    assert.equal(parse('ab😀', { textCharsMax: 3 }).text, 'ab');
  });
  it('a < that begins no tag is text', () => {
    assert.equal(parse('1 < 2 <3 <> x').text, '1 < 2 <3 <> x');
  });
});

describe('a page’s metadata', () => {
  it('a page’s metadata has title and description, blanks collapsed, the first of each', () => {
    const page = parse(
      '<title> A\n &amp; B </title><title>C</title><META NAME=Description CONTENT=" d\n e "><meta name=description content=f>',
    );
    assert.deepEqual([page.title, page.description], ['A & B', 'd e']);
  });
  it('a link of a picture is one by xlink:href or href, and by href if it has both', () => {
    const inSvg = (link: string) => parse(`<svg><g>${link}<path/></a></g></svg><a href=/z>z</a>`).links;
    assert.deepEqual(inSvg('<a xlink:href="/1">'), ['http://example.com/1', 'http://example.com/z']);
    assert.deepEqual(inSvg('<a XLINK:HREF="/1" href="/2">'), ['http://example.com/2', 'http://example.com/z']);
    assert.deepEqual(inSvg('<a xlink:href="/1" rel=nofollow>'), ['http://example.com/z']);
    assert.deepEqual(parse('<svg></svg><a xlink:href=/1>not a picture</a>').links, []);
  });
  it('a title inside a picture is not the page’s', () => {
    assert.equal(parse('<svg><title>icon</title></svg><title>page</title>').title, 'page');
  });
  it('a page’s metadata has the canonical, resolved against the base, which is a link as well', () => {
    const page = parse('<link rel=canonical href=../c><base href=/x/y/>');
    assert.equal(page.canonical, 'http://example.com/x/c');
    assert.deepEqual(page.links, ['http://example.com/x/c']);
  });
  it('a page’s metadata has robots directives, for everyone and for our own token, combined with the headers', () => {
    assert.deepEqual(parse('<meta name=examplebot content=noindex>').robots, { noindex: true, nofollow: false });
    assert.deepEqual(parse('<meta name=otherbot content=none>').robots, { noindex: false, nofollow: false });
    const page = parse('<meta name=robots content=nofollow>', { robotsTags: ['examplebot: noindex'] });
    assert.deepEqual(page.robots, { noindex: true, nofollow: true });
  });
  it('a page’s metadata has a refresh, with its delay', () => {
    const refresh = (content: string) => parse(`<meta http-equiv=Refresh content="${content}">`).metaRefresh;
    assert.deepEqual(refresh('5; URL=/x'), { url: 'http://example.com/x', delaySeconds: 5 });
    assert.deepEqual(refresh("0;url='/x'y"), { url: 'http://example.com/x', delaySeconds: 0 });
    assert.deepEqual(refresh('1.5 , /x'), { url: 'http://example.com/x', delaySeconds: 1.5 });
    for (const content of ['5', '5;', 'x;url=/x', '5url=/x', '0;url=javascript:x()', '']) {
      assert.equal(refresh(content), null, content);
    }
  });
});

describe('bounds of parsing', () => {
  it('a page above its byte budget is read up to there', () => {
    const page = parse('<a href=1>abc<a href=2>', { byteBudget: 13 });
    assert.deepEqual([page.links.length, page.text, page.complete], [1, 'abc', false]);
    const whole = (byteBudget: number) => parsePage(Buffer.from('<p>abc'), { ...options, byteBudget }).complete;
    assert.deepEqual([5, 6, 7].map(whole), [false, true, true]);
  });
  it('a page out of time yields what was found', () => {
    const html = `<a href=1>${'<p>x'.repeat(parseLimits.sliceChars)}<a href=2>`;
    let asked = 0;
    const page = parse(html, { expired: () => ++asked === 2 });
    assert.deepEqual([page.links.length, page.complete, asked], [1, false, 2]);
    assert.equal(parse(html).complete, true);
  });
  it('the clock is not read for a page of one slice', () => {
    assert.equal(parse('<p>x', { expired: () => true }).complete, true);
  });

  const hostile: Record<string, string> = {
    'nested elements': '<div>'.repeat(200_000),
    'angle brackets': '<'.repeat(5_000_000),
    'an attribute without end': `<a ${'x="'.repeat(1_000_000)}`,
    'attributes without end': `<a ${'href=x '.repeat(700_000)}>`,
    'entities in text': '&amp;'.repeat(1_000_000),
    'entities in an attribute': `<a href="${'&amp;'.repeat(1_000_000)}">`,
    ampersands: '&'.repeat(5_000_000),
    'comments that never end': '<!--'.repeat(1_000_000),
    'titles in titles': '<title>'.repeat(500_000),
    'scripts that never end': `<script>${'</scrip'.repeat(700_000)}`,
    blanks: `${' \n'.repeat(2_500_000)}x`,
    'a refresh of digits': `<meta http-equiv=refresh content="${'5.'.repeat(1_000_000)}">`,
    'links by the hundred thousand': Array.from({ length: 200_000 }, (_, i) => `<a href=/${i}>`).join(''),
    'bases and pictures': '<base href=x><svg>'.repeat(250_000),
  };
  for (const [name, html] of Object.entries(hostile)) {
    it(`${name}: megabytes in well under two seconds`, () => {
      const cpu = process.cpuUsage();
      parsePage(new TextEncoder().encode(html), options);
      const { user, system } = process.cpuUsage(cpu);
      assert.ok((user + system) / 1000 < 2000, `${(user + system) / 1000} ms`);
    });
  }
});

it('a page reports its usage meta elements, and no others', () => {
  const said = (html: string) => parse(html).usageMetas?.map(({ name, content }) => `${name}: ${content}`);
  assert.equal(
    said('<meta name=robots content=index><meta name=description content=noai><meta name=robots>'),
    undefined,
  );
  assert.deepEqual(said('<meta name=" Robots " content=noai><meta name=examplebot content=noimageai>'), [
    'robots: noai',
    'examplebot: noimageai',
  ]);
});
