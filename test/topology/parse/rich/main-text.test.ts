import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readRichPage } from '../../../../topology/parse/rich/rich-page.ts';

const wanted = {
  ...{ mainText: true, markdown: false, language: false, metadata: false, tidyMarkup: false },
  mediaLinks: { images: false, scripts: false },
};
const mainText = (html: string) => readRichPage(html, wanted, 'http://a.test/', () => false).mainText;
const sentences = (name: string, count = 4) =>
  `The ${name} has a view of the harbor and of the town below it. `.repeat(count);
const paragraph = (name: string, count = 4) => `<p>${sentences(name, count)}</p>`;
const links = (count: number) => `<ul>${'<li><a href=/x>somewhere else entirely</a></li>'.repeat(count)}</ul>`;

test('an element that wraps most of a page is no sidebar, banner or advertisement, whatever its class says', () => {
  for (const wrapper of ['content-with-sidebar', 'page-ad-margins', 'has-nav', 'article pagination-first']) {
    const html = `<body><nav>${links(9)}</nav><div>Read today by more people than ever before, all of them from here or from there.</div><div class="${wrapper}">${paragraph('castle')}${paragraph('mill')}</div></body>`;
    const found = mainText(html);
    assert.ok(found.includes('The castle has') && found.includes('The mill has'), wrapper);
    assert.ok(!found.includes('somewhere'), wrapper);
  }
  const beside = `<div class=text>${paragraph('castle')}</div><div class="sidebar box">${paragraph('shop', 1)}</div>`;
  assert.doesNotMatch(mainText(beside), /shop/);
});

test('comments below a text are dropped, and a thread of comments alone is main text', () => {
  const comments = ['anna', 'bert', 'cora']
    .map((name) => `<li class=comment><div class=comment-text>${paragraph(name, 2)}</div></li>`)
    .join('');
  const below = mainText(`<article>${paragraph('castle', 8)}<ol class=comments>${comments}</ol></article>`);
  assert.ok(below.includes('castle') && !below.includes('anna'));
  const thread = mainText(`<header>${links(5)}</header><h1>Which room?</h1><ol class=comments>${comments}</ol>`);
  for (const name of ['anna', 'bert', 'cora']) assert.ok(thread.includes(`The ${name} has`), name);
});

test('every post of a thread is main text, and a question above its answers, of another class', () => {
  const post = (name: string) =>
    `<div class=post><div class=author><a href=/u>${name}</a></div><div class=body>${paragraph(name, 2)}</div></div>`;
  const posts = mainText(
    `<body><ul>${links(12)}</ul><div id=thread>${['one', 'two', 'three'].map(post).join('')}</div></body>`,
  );
  for (const name of ['one', 'two', 'three']) assert.ok(posts.includes(`The ${name} has`), name);
  const answers = `<div class=answers><div class=answer>${paragraph('first', 6)}</div><div class=answer>${paragraph('second', 6)}</div></div>`;
  const asked = mainText(`<div class=page><div class=question>${paragraph('question', 3)}</div>${answers}</div>`);
  for (const name of ['question', 'first', 'second']) assert.ok(asked.includes(`The ${name} has`), name);
});

test('teasers of other pages beside the text are dropped, even if each has a sentence', () => {
  const teaser = (n: number) =>
    `<div class=card><h3><a href=/${n}>What else happened at place number ${n}</a></h3><div>${sentences(`rival ${n}`, 1)}</div></div>`;
  const teasers = Array.from({ length: 8 }, (_, n) => teaser(n)).join('');
  const html = `<div class=layout><div class=left><div class=story><h1>The castle</h1>${paragraph('castle').repeat(5)}</div></div><div class=right>${teasers}</div></div>`;
  const found = mainText(html);
  assert.ok(found.startsWith('The castle\nThe castle has'));
  assert.doesNotMatch(found, /rival|What else/);
});

test('parts of a reference are main text, whatever their classes: summaries full of links, signatures, insets', () => {
  const rows = Array.from(
    { length: 6 },
    (_, n) =>
      `<div class=row><code><a href=#m${n}>method${n}</a>(<a href=/s>String</a> text)</code></div><div>Does ${n}.</div>`,
  );
  const html =
    `<main><div class=header><h1>Class Room</h1></div><section class=about>${paragraph('room', 1)}</section>` +
    `<section class=summary><h2>Methods</h2>${rows.join('')}</section>` +
    `<section class=details>${paragraph('method', 3)}<div class=sidebar><p>${sentences('inset', 1)}</p></div>${paragraph('end', 3)}</section></main>`;
  const found = mainText(html);
  for (const part of ['Class Room', 'The room has', 'method3(String text)', 'Does 3.', 'The inset has', 'The end has'])
    assert.ok(found.includes(part), part);
});

test('an article that is one of many does not hide the text around it', () => {
  const html = `<body><div class=description>${paragraph('program', 8)}</div><article>${paragraph('entry', 6)}</article><div class=notes>${paragraph('note', 8)}</div></body>`;
  const found = mainText(html);
  for (const name of ['program', 'entry', 'note']) assert.ok(found.includes(`The ${name} has`), name);
});

test('lists of links after the last paragraph are dropped, even if HTML calls everything main', () => {
  const html = `<main><h1>The castle</h1>${paragraph('castle').repeat(3)}<h3>Most read</h3><p>EYE POPPING</p>${links(2)}<p>TIME</p>${links(2)}</main>`;
  const found = mainText(html);
  assert.ok(found.endsWith('town below it.'), found.slice(-60));
});

test('a missing end tag is implied by the next element of its kind', () => {
  const items = Array.from({ length: 300 }, (_, n) => `<li>${sentences(`item ${n}`, 1)}`).join('');
  const found = mainText(`<div><ul>${items}</ul></div><aside>${paragraph('shop')}</aside>`);
  assert.ok(found.includes('item 299') && !found.includes('shop'));
});

test('deep pages cost time in proportion to their size: each element is counted once', () => {
  const deep = (blocks: number) => `${'<div>'.repeat(250)}${'<p>one two three four five six seven'.repeat(blocks)}`;
  const work = (blocks: number) => {
    const html = deep(blocks);
    const started = process.cpuUsage();
    mainText(html);
    const { user, system } = process.cpuUsage(started);
    return user + system;
  };
  work(1_000);
  const once = Math.min(work(1_000), work(1_000));
  assert.ok(work(4_000) < Math.max(once, 20_000) * 16);
});

test('a drawing takes no text with it, however many shapes it has, closed or not', () => {
  const shapes = '<path d="M9,17L26,17"/><text x="74">ATTACH</text>'.repeat(120);
  const page = (drawing: string) =>
    `<body><h1>Overview</h1>${paragraph('castle')}${drawing}${paragraph('mill')}</body>`;
  for (const drawing of [
    `<div><svg viewBox="0 0 6 4">${shapes}</svg></div>`,
    `<svg>${'<g>'.repeat(200)}</svg>`,
    `<svg>${shapes}`,
    `<svg><svg>${shapes}</svg>${shapes}</svg>`,
    `<svg><svg>${shapes}`,
    '<svg class=icon />',
    `<svg><foreignObject><div>a label</div></foreignObject>${shapes}</svg>`,
    `<math><mi>x</mi>${'<mspace/>'.repeat(200)}</math>`,
  ]) {
    const found = mainText(page(drawing));
    assert.ok(found.includes('The castle has') && found.includes('The mill has'), drawing.slice(0, 60));
    assert.doesNotMatch(found, /ATTACH|a label/);
  }
  // An icon within a sentence does not end it.
  const icon = mainText(page(`<p>Press <svg><path d="M9"/><title>a wheel</title></svg> to see what the town has.</p>`));
  assert.match(icon, /^Press to see what the town has\.$/m);
});

test('a choice of a hundred options without end tags ends at its own', () => {
  const choice = `<form><select>${'<option>a place'.repeat(100)}</select></form>`;
  const found = mainText(`<body>${choice}${paragraph('castle')}${paragraph('mill')}</body>`);
  assert.ok(found.includes('The castle has') && found.includes('The mill has'));
  assert.doesNotMatch(found, /a place/);
});

test('parts under headings of one rank are one text, even if the last is the longest and an article or boxed', () => {
  const part = (n: number, text: string) =>
    `<div class="box b${n}"><h3>Part number ${n}</h3><div class=body>${text}</div></div>`;
  const short = [part(1, 'ropes'), part(2, 'All about ropes that hold a boat.'), part(3, paragraph('rope', 1))].join(
    '',
  );
  const most = `<h3>Exports</h3><div class=all>${paragraph('pier', 5)}</div>`;
  const footer = '<div class=end><p>No rights are reserved by those who wrote this down in a long night.</p></div>';
  for (const last of [`<article>${most}</article>`, `<div class=rest>${most}</div>`]) {
    const found = mainText(`<body><ul>${links(9)}</ul><div id=all>${short}${last}</div>${footer}</body>`);
    for (const word of ['Part number 1', 'ropes', 'All about ropes', 'The rope has', 'Exports', 'The pier has'])
      assert.ok(found.includes(word), `${word} in ${last.slice(0, 20)}`);
    assert.ok(!found.includes('somewhere') && !found.includes('rights'), found);
  }
  // Lists of links under such headings are no parts.
  const most2 = `<div class=story><h3>The castle</h3>${paragraph('castle', 6)}</div>`;
  const lists = [1, 2, 3].map((n) => `<div class="list l${n}"><h3>More of ${n}</h3>${links(4)}</div>`).join('');
  const beside = mainText(`<body><div>${most2}${lists}${part(4, 'A short word.')}</div></body>`);
  assert.ok(beside.includes('The castle has') && !beside.includes('A short word'), beside);
});
