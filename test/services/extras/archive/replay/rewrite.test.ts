import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rewriteCss } from '../../../../../services/extras/archive/replay/rewrite/css.ts';
import { rewriteHtml } from '../../../../../services/extras/archive/replay/rewrite/html.ts';
import { createLinker } from '../../../../../services/extras/archive/replay/rewrite/linker.ts';

const time = '20260101000000';
const linker = createLinker(time, 'http://pond.test/dir/page');
const html = (text: string) => rewriteHtml(text, linker, false);
const there = (url: string) => `/web/${time}/${url}`;

test('content without links stays unchanged byte for byte', () => {
  for (const text of [
    '<!DOCTYPE html>\n<P CLASS=x  title = "a > b">caf\u00e9 &eacute; <br/><!-- <a href=/x> --> a < b</P>',
    '<script>if (a < b) document.write("<a href=/x>")</script><textarea><a href=/x></textarea>',
    '<a href="#place">down</a><img src="data:image/png;base64,AAAA"><a name=top></a>',
  ]) {
    assert.equal(html(text), text);
  }
});

test('links lead to the time of the page, resolved as in a browser', () => {
  assert.equal(html('<a href=other?a=1&amp;b=2#x>'), `<a href="${there('http://pond.test/dir/other?a=1&amp;b=2#x')}">`);
  assert.equal(html("<img src='//cdn.test/a b.png' alt=x>"), `<img src="${there('http://cdn.test/a%20b.png')}" alt=x>`);
  assert.equal(html('<form action=/find>'), `<form action="${there('http://pond.test/find')}">`);
  assert.equal(
    html('<svg><use xlink:href="s.svg#i"/></svg>'),
    `<svg><use xlink:href="${there('http://pond.test/dir/s.svg#i')}"/></svg>`,
  );
  assert.equal(html('<td background=t.gif>'), `<td background="${there('http://pond.test/dir/t.gif')}">`);
});

test('base elements are removed, and links before and after resolve against them', () => {
  const led = html('<a href=one><base target=_blank href="http://other.test/base/"><base href=/no/><a href=two>');
  assert.equal(
    led.replaceAll(/\s+/g, ' '),
    `<a href="${there('http://other.test/base/one')}"><base ><base ><a href="${there('http://other.test/base/two')}">`,
  );
});

test('scripts, files and programs of other schemes lead nowhere', () => {
  for (const link of [
    'javascript:alert(1)',
    ' \u0001JaVaScRiPt:alert(1)',
    'java&#9;script:alert(1)',
    'java\nscript:alert(1)',
    'vbscript:x',
    'file:///etc/passwd',
    'steam://run/1',
    'http://[broken',
  ]) {
    assert.equal(html(`<a href="${link}">`), '<a href="#">', link);
  }
});

test('srcset, styles, refreshes and nested pages are rewritten, too', () => {
  assert.equal(
    html('<img srcset="a.png 1x, /b.png,c 2x , data:image/png,x 3x">'),
    `<img srcset="${there('http://pond.test/dir/a.png')} 1x, ${there('http://pond.test/b.png,c')} 2x, data:image/png,x 3x">`,
  );
  assert.equal(
    html('<p style="background:url(a.png)">'),
    `<p style="background:url(&quot;${there('http://pond.test/dir/a.png')}&quot;)">`,
  );
  assert.equal(
    html('<style>a{background:url("a.png")}</style>'),
    `<style>a{background:url("${there('http://pond.test/dir/a.png')}")}</style>`,
  );
  assert.equal(
    html('<meta http-equiv=Refresh content="0; URL=http://evil.test/">'),
    `<meta http-equiv=Refresh content="0;url=${there('http://evil.test/')}">`,
  );
  assert.equal(
    html('<meta http-equiv=Refresh content="0; URL=javascript:x">'),
    '<meta http-equiv=Refresh content="0;url=#">',
  );
  assert.equal(
    html('<iframe srcdoc="&lt;a href=/x>"></iframe>'),
    `<iframe srcdoc="&lt;a href=&quot;${there('http://pond.test/x')}&quot;&gt;"></iframe>`,
  );
  const deep = (depth: number): string =>
    depth === 0
      ? '<a href=http://live.test/>'
      : `<iframe srcdoc="${deep(depth - 1)
          .replaceAll('&', '&amp;')
          .replaceAll('"', '&quot;')}"></iframe>`;
  assert.match(html(deep(2)), /\/web\/20260101000000\/http:\/\/live\.test\//);
  assert.doesNotMatch(html(deep(3)), /live\.test/, 'deeper ones are left out');
});

test('elements that contact a host silently, govern the browser or check rewritten content are dropped', () => {
  assert.equal(html('<a ping=http://spy.test/ href=/x>'), `<a  href="${there('http://pond.test/x')}">`);
  assert.doesNotMatch(html('<link rel="preconnect dns-prefetch" href=//spy.test>'), /spy/);
  assert.doesNotMatch(html('<link href=//spy.test rel=prefetch>'), /spy/);
  assert.match(
    html('<link rel="prefetch stylesheet" href=a.css integrity=sha256-x>'),
    /^<link rel="stylesheet" href="\/web\/\S+a\.css" >$/,
  );
  assert.doesNotMatch(html('<meta http-equiv="Content-Security-Policy" content="img-src none">'), /http-equiv/);
  assert.doesNotMatch(html('<svg><a href=/x><set attributeName=href to=http://live.test/></a></svg>'), /attributeName/);
  assert.doesNotMatch(html('<a target=_top href=/x>'), /target/);
  assert.match(html('<a target=menu href=/x>'), /target=menu/);
  assert.equal(
    html('<a href=/x href=http://live.test/>'),
    `<a href="${there('http://pond.test/x')}" >`,
    'the first counts',
  );
});

test('a page’s declared encoding is that of the sent bytes', () => {
  assert.equal(html('<meta charset=windows-1252>'), '<meta charset="utf-8">');
  assert.match(
    html('<meta http-equiv=content-type content="text/html; charset=koi8-r">'),
    /content="text\/html; charset=utf-8"/,
  );
});

test('no attribute breaks out of its quotes', () => {
  assert.equal(html(`<a href='/x"onmouseover="y'>`), `<a href="${there('http://pond.test/x%22onmouseover=%22y')}">`);
  assert.equal(html(`<a href='/?"><script>'>`), `<a href="${there('http://pond.test/?%22%3E%3Cscript%3E')}">`);
  assert.equal(html(`<p style='a:url(/x);b:"&quot;><script>"'>`).includes('<script>'), false);
});

test('SVG is XML: its links and styles are rewritten, and it stays well-formed', () => {
  const svg =
    '<svg xmlns:xlink="x"><style>a{fill:url(p.svg?a=1&amp;b=2)}</style><image xlink:href="a.png?x=1&amp;y=2"/></svg>';
  const led = rewriteHtml(svg, linker, true);
  assert.match(led, /url\(&quot;\/web\/20260101000000\/http:\/\/pond\.test\/dir\/p\.svg\?a=1&amp;b=2&quot;\)/);
  assert.match(led, /xlink:href="\/web\/20260101000000\/http:\/\/pond\.test\/dir\/a\.png\?x=1&amp;y=2"\/>/);
});

test('style sheets are rewritten: url() in all spellings, and imports', () => {
  const led = (url: string) => `"${there(`http://pond.test/dir/${url}`)}"`;
  assert.equal(rewriteCss('a{b:url( a.png )}', linker), `a{b:url( ${led('a.png')} )}`);
  assert.equal(
    rewriteCss('@import "m.css" print;@IMPORT url(n.css);', linker),
    `@import ${led('m.css')} print;@IMPORT url(${led('n.css')});`,
  );
  assert.equal(rewriteCss(String.raw`a{b:url(a\ b\2e png)}`, linker), String.raw`a{b:url(a\ b\2e png)}`);
  assert.equal(rewriteCss(String.raw`a{b:url("a\2e png")}`, linker), `a{b:url(${led('a.png')})}`);
  assert.equal(
    rewriteCss('a{b:url(javascript:x)}c{d:url(data:,x)}e{f:url(#g)}', linker),
    'a{b:url("#")}c{d:url(data:,x)}e{f:url(#g)}',
  );
  assert.equal(rewriteCss(`a{b:url('x"}</style>')}`, linker), `a{b:url(${led('x%22%7D%3C/style%3E')})}`);
});
