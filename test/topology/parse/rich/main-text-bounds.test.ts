/** Which blocks are main text, at each of the bounds that decide it. A block is a letter and the number of its words. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readRichPage } from '../../../../topology/parse/rich/rich-page.ts';

const wanted = {
  ...{ mainText: true, markdown: false, language: false, metadata: false, tidyMarkup: false },
  mediaLinks: { images: false, scripts: false },
};

function text(mark: string, words: number, linked = 0): string {
  const all = [mark, ...Array.from({ length: words - 1 }, () => 'w')];
  const link = linked === 0 ? [] : [`<a href=/x>${all.splice(0, linked).join(' ')}</a>`];
  return [...link, ...all].join(' ');
}
/** `A60`: a paragraph of 60 words; `A60/5`: five of them are a link. */
const p = (...specs: readonly string[]) =>
  specs
    .map((spec) => {
      const [, mark = '', words, linked = '0'] = /^([A-Z])(\d+)(?:\/(\d+))?$/.exec(spec)!;
      return `<p>${text(mark, Number(words), Number(linked))}</p>`;
    })
    .join('');
const div = (name: string, ...specs: readonly string[]) => `<div class=${name}>${p(...specs)}</div>`;

/** The letters of the blocks that are main text. */
function kept(html: string): string {
  const { mainText } = readRichPage(html, wanted, 'http://a.test/', () => false);
  return [...mainText.matchAll(/[A-Z]/g)].join('');
}

describe('a part beside the main text', () => {
  it('comments are a part beside the main text, if the commented text has sixty words of prose', () => {
    assert.equal(kept(div('text', 'A60') + div('comments', 'C30')), 'A');
    assert.equal(kept(div('text', 'A59') + div('comments', 'C30')), 'AC');
  });

  it('a part beside the main text is named by its class, with less than half of the prose', () => {
    assert.equal(kept(div('text', 'A61') + div('related', 'R60')), 'A');
    assert.equal(kept(div('text', 'A60') + div('related', 'R60')), 'AR');
  });
});

describe('the end of the main text', () => {
  const end = (...specs: readonly string[]) => kept(div('text', 'A60', ...specs));

  it('the end of the main text is the last paragraph, if two fifths of what follows are links', () => {
    assert.equal(end('B6', 'L4/4'), 'A');
    assert.equal(end('B6', 'L3/3'), 'AB');
  });

  it('the end of the main text is that of everything if no paragraph has twenty words', () => {
    assert.equal(kept(div('text', 'A19', 'B19', 'C19', 'D6')), 'ABCD');
  });

  it('the end of the main text follows a paragraph of twenty words with a fifth of them in links', () => {
    assert.equal(end('S20', 'L20/20'), 'AS');
    assert.equal(end('S19', 'L20/20'), 'A');
    assert.equal(end('S20/4', 'L20/20'), 'AS');
    assert.equal(end('S20/5', 'L20/20'), 'A');
  });
});

describe('links between paragraphs', () => {
  it('links between paragraphs are at most two lines', () => {
    assert.equal(kept(div('text', 'A60', 'L9/9', 'M9/9', 'B60')), 'ALMB');
    assert.equal(kept(div('text', 'A60', 'L9/9', 'M9/9', 'N9/9', 'B60')), 'AB');
    assert.equal(kept(div('text', 'L9/9', 'A60', 'B60')), 'AB', 'and not before the first');
  });
});

describe('the main element of HTML', () => {
  const main = (...specs: readonly string[]) => `<main>${p(...specs)}</main>`;
  const article = (...specs: readonly string[]) => `<article>${p(...specs)}</article>`;

  it('the main element of HTML is everything, with fifty words', () => {
    assert.equal(kept(`${main('A50')}${div('b', 'B49')}`), 'A');
    assert.equal(kept(`${main('A49')}${div('b', 'B48')}`), 'AB');
  });

  it('the main element of HTML is an article with half of the prose', () => {
    assert.equal(kept(`${article('A60')}${div('b', 'B30')}${div('c', 'C30')}`), 'A');
    assert.equal(kept(`${article('A60')}${div('b', 'B30')}${div('c', 'C31')}`), 'ABC');
  });

  it('the main element of HTML is an index of links if at most forty words stand above them, and fewer than half of all', () => {
    assert.equal(kept(main('A39', 'L20/20', 'M20/20', 'N20/20')), 'ALMN');
    assert.equal(kept(main('A40', 'L20/20', 'M20/20', 'N20/20')), 'A');
    assert.equal(kept(main('A39', 'L20/20', 'M19/19')), 'A');
    assert.equal(kept(main('A39', 'L20/20', 'M20/20')), 'ALM');
  });
});

describe('the title before the main text', () => {
  const timeline = div('text', 'A60', 'B60');

  it('the title before the main text is the heading above it, with sentences between, and no more', () => {
    assert.equal(kept(`<h1>T</h1>${div('by', 'C5')}${div('lead', 'D6')}${timeline}`), 'TDAB');
    assert.equal(kept(`<h2>T</h2>${timeline}`), 'AB', 'of the first rank');
  });

  it('the title before the main text is empty if the text has its own', () => {
    assert.equal(kept(`<h1>T</h1><div class=text><h1>U</h1>${p('A60', 'B60')}</div>`), 'UAB');
  });
});

describe('a page of loose paragraphs', () => {
  it('a page of loose paragraphs begins with a line of seventeen words, or beside one of sixteen', () => {
    assert.equal(kept(p('X16', 'L15/15', 'A60')), 'A');
    assert.equal(kept(p('X17', 'L15/15', 'A60')), 'XA');
    assert.equal(kept(p('X16', 'L16/16', 'A60')), 'XA');
  });

  it('a page of loose paragraphs begins with a line after one of five words that is no list of links', () => {
    assert.equal(kept(p('K4/2', 'X5', 'L5/5', 'A60')), 'A');
    assert.equal(kept(p('K5/2', 'X5', 'L5/5', 'A60')), 'XA');
    assert.equal(kept(p('K9/5', 'X5', 'L5/5', 'A60')), 'XA', 'five ninths of it are links');
    assert.equal(kept(p('K9/6', 'X5', 'L5/5', 'A60')), 'A');
  });

  it('a page of loose paragraphs continues after a list of links with 41 words, or with eighteen words behind', () => {
    assert.equal(kept(p('A60', 'L9/9', 'X40', 'M17/17')), 'A');
    assert.equal(kept(p('A60', 'L9/9', 'X41', 'M17/17')), 'AX');
    assert.equal(kept(p('A60', 'L9/9', 'X40', 'M18/18')), 'AX');
  });

  it('a page of loose paragraphs has everything between its first and its last line except lists of links', () => {
    assert.equal(kept(p('A60', 'L9/9', 'X3', 'M3/1', 'N3/2', 'B60')), 'AXMB');
  });

  it('a page of loose paragraphs begins under its heading, at most four lines above, and none of them links', () => {
    const page = (...specs: readonly string[]) => kept(`<h2>H</h2>${p(...specs, 'A60')}`);
    assert.equal(page('P3', 'Q3', 'R3', 'S3'), 'HPQRSA');
    assert.equal(page('P3', 'Q3', 'R3', 'S3', 'U3'), 'UA');
    assert.equal(page('P3/2', 'R3', 'S3'), 'SA');
  });

  it('a page of loose paragraphs is all of its lines if less than half of them is main', () => {
    assert.equal(kept(p('A20', 'L2/2', 'X10', 'M2/2', 'Y10', 'N2/2')), 'A');
    assert.equal(kept(p('A20', 'L2/2', 'X10', 'M2/2', 'Y11', 'N2/2')), 'AXY');
  });
});
