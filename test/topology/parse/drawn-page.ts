/** HTML as the web has it, drawn piece by piece: what a page may say of itself, text in all its wrappings, and broken markup. */
import type { Draw } from '../../kept/drawn.ts';

const words =
  'river stone market report council garden engine summer price letter winter method patient forest village science teacher player border theory voice'.split(
    ' ',
  );
const foreign = [
  'Grüße',
  'façade',
  'naïve',
  'Straße',
  'año',
  '东京',
  'привет',
  'δοκιμή',
  'x²',
  '&amp;',
  '&nbsp;',
  '&#8212;',
  '&lt;b&gt;',
  '&notit;',
];

export function phrase(draw: Draw, count: number): string {
  return draw.list(count, () => (draw.percent(92) ? draw.of(words) : draw.of(foreign))).join(' ');
}

function prose(draw: Draw): string {
  return draw
    .list(1 + draw.below(4), () => `${phrase(draw, 6 + draw.below(16))}${draw.of(['.', '.', '?', ':', ''])}`)
    .join(' ');
}

function href(draw: Draw): string {
  const n = draw.below(30);
  return draw.of([
    ...[
      `/p/${n}`,
      `p${n}.html`,
      `../up/${n}`,
      `?q=${n}&amp;r=1`,
      `#top${n}`,
      `//cdn.test/${n}`,
      `https://other.test/${n}`,
    ],
    ...[
      'mailto:a@b.test',
      'javascript:void(0)',
      'tel:1',
      'http://[bad',
      '',
      ' /blank ',
      '/a b',
      '/ä',
      'HTTP://A.TEST/%7e',
    ],
    ...[`ftp://f.test/${n}`, `data:text/plain,${n}`, `/very/${'long/'.repeat(draw.below(5))}`, 'feed.xml', '/doc.pdf'],
  ]);
}

const attribute = (draw: Draw) =>
  draw.of([
    ...[
      '',
      '',
      '',
      ' class="nav main"',
      ' class=sidebar',
      ' id=footer',
      ' class="comments"',
      ' role=navigation',
      ' hidden',
    ],
    ...[
      ' aria-hidden=true',
      ' style="display: none"',
      ' lang=fr',
      ' class=article-body',
      ' itemprop=text',
      " title='a > b'",
    ],
  ]);

function link(draw: Draw): string {
  const rel = draw.of(['', '', '', ' rel=nofollow', ' rel="ugc sponsored"', ' REL="NoFollow x"', ' rel=next']);
  return `<a${rel} ${draw.of(['href', 'HREF', 'data-href'])}=${draw.of(['"', "'"])}${href(draw)}${draw.of(['"', "'"])}>${phrase(draw, 1 + draw.below(4))}</a>`;
}

function head(draw: Draw): string {
  return draw.of([
    () => `<title>${draw.of([phrase(draw, 5), 'Page not found', ' Error 404 ', 'a &amp; b', ''])}</title>`,
    () => `<base href="${draw.of(['/x/', 'https://base.test/y', '', '://'])}">`,
    () =>
      `<meta name=${draw.of(['robots', 'ROBOTS', 'crawlstream', 'googlebot'])} content="${draw.of(['noindex', 'nofollow', 'none', 'all', 'index, follow', 'max-snippet:1, noindex'])}">`,
    () => `<meta name=description content="${phrase(draw, 8)}">`,
    () =>
      `<meta property="${draw.of(['og:title', 'og:image', 'article:tag', 'twitter:card', 'x:y'])}" content="${phrase(draw, 2)}">`,
    () =>
      `<meta http-equiv=${draw.of(['refresh', 'Refresh'])} content="${draw.of(['0;url=/r', "5 ; URL='/s' x", '3', '1.5,/t', '; /u', '10;url='])}">`,
    () =>
      `<meta ${draw.of(['charset=utf-8', 'charset=windows-1252', 'charset=utf-16', 'http-equiv=content-type content="text/html; charset=iso-8859-1"'])}>`,
    () =>
      `<link rel="${draw.of(['canonical', 'next', 'prev', 'alternate', 'alternate stylesheet', 'stylesheet', 'icon'])}" ${draw.of(['', 'type=application/rss+xml', 'type="text/html; x"', 'type=application/json'])} href="${href(draw)}">`,
    () =>
      `<script${draw.of(['', ' type=application/ld+json', ' src=/app.js', ' type="application/json"'])}>${draw.of(['{"@type":"Article","name":"x"}', 'if (a < b) "</p>"', '{broken', '<!-- <script> -->', '{"url":"/from/script"}'])}</script>`,
    () => '<style>p { content: "<a href=/no>" }</style>',
    () => `<html lang=${draw.of(['en', '"de-AT"', 'FR', '""'])}>`,
  ])();
}

function block(draw: Draw, deep = 0): string {
  const inner = () =>
    deep < 3 && draw.percent(40) ? block(draw, deep + 1) : draw.percent(70) ? prose(draw) : link(draw);
  const several = () => draw.list(1 + draw.below(4), inner).join(draw.of(['', ' ', '\n']));
  const name = draw.of([
    'div',
    'div',
    'section',
    'article',
    'main',
    'nav',
    'aside',
    'footer',
    'header',
    'blockquote',
    'form',
    'td',
    'figure',
  ]);
  return draw.of([
    () => `<p${attribute(draw)}>${prose(draw)} ${link(draw)} ${draw.percent(50) ? prose(draw) : ''}</p>`,
    () => `<p>${prose(draw)}`,
    () => `<${name}${attribute(draw)}>${several()}</${name}>`,
    () => `<h${1 + draw.below(6)}>${phrase(draw, 4)}</h2>`,
    () =>
      `<ul${attribute(draw)}>${draw.list(1 + draw.below(6), () => `<li>${draw.percent(60) ? link(draw) : prose(draw)}`).join('')}</ul>`,
    () =>
      `<table><tr>${draw.list(1 + draw.below(4), () => `<td>${inner()}`).join('')}<tr><th>${phrase(draw, 2)}</table>`,
    () => `<pre>${phrase(draw, 5)}\n  ${phrase(draw, 3)}</pre>`,
    () => `<dl><dt>${phrase(draw, 2)}<dd>${prose(draw)}</dl>`,
    () => `text <b>bold</b><i> and</i> ${prose(draw)}<br>${prose(draw)}<hr>`,
    () => `<img src="${href(draw)}" srcset="/a.png 1x, /b.png 2x" data-src=/lazy.png alt="${phrase(draw, 2)}">`,
    () => `<iframe src="${href(draw)}">${draw.of(['', '<a href=/inside>'])}</iframe><frame src=/f>`,
    () =>
      `<area href="${href(draw)}"><template><a href=/t>t</a></template><noscript><a href=/n>${prose(draw)}</a></noscript>`,
    () => `<svg><a href=/svg>${phrase(draw, 2)}</a><title>${phrase(draw, 2)}</title></svg>`,
    () => `<!-- ${link(draw)} --><![CDATA[ ${phrase(draw, 2)} ]]><!doctype x><?php ${phrase(draw, 1)} ?>`,
    () =>
      `<textarea><a href=/no></textarea><select><option>${phrase(draw, 2)}</select><button>${phrase(draw, 1)}</button>`,
    () => `<span ${draw.of(['a=1 b', 'a = "x', "='", '/', '"'])}>${phrase(draw, 3)}</span>`,
    () =>
      `< ${phrase(draw, 1)} <${draw.of(['3', '/', '!', '?', '>', '/p', '/ x>', '!-->', '!--->'])} ${phrase(draw, 2)}`,
    () => `<div>${'<div>'.repeat(draw.below(30))}${prose(draw)}`,
  ])();
}

export function drawnPage(draw: Draw): string {
  const parts = draw.list(draw.below(7), () => head(draw));
  const blocks = draw.list(2 + draw.below(14), () => block(draw));
  return `${draw.of(['<!doctype html>', '', '\ufeff'])}${parts.join('\n')}<body>${blocks.join(draw.of(['', '\n', ' ']))}${draw.of(['</body></html>', ''])}`;
}
