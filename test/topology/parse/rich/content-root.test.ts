/** Which element of a page holds its main text, at each of the bounds that decide it. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { contentRoot } from '../../../../topology/parse/rich/content-root.ts';
import type { TextBlock, TextElement } from '../../../../topology/parse/rich/text-blocks.ts';

interface Block {
  readonly words: number;
  readonly linked?: number;
  readonly heading?: number;
}
interface Node {
  /** `name`, or `name.class`; `#id` behind it names it in a test. */
  readonly is: string;
  readonly holds: readonly (Node | Block)[];
}

const of = (is: string, ...holds: readonly (Node | Block)[]): Node => ({ is, holds });
/** A paragraph of prose. */
const p = (words: number): Node => of('p', { words });
const heading = (rank: number): Node => of(`h${rank}`, { words: 2, heading: rank });

/** Which element is found in a page that holds these, and which beside it, by their ids or names. */
function rootIn(...holds: readonly (Node | Block)[]): string {
  const blocks: TextBlock[] = [];
  const ids = new Map<TextElement, string>();
  const put = ({ is, holds }: Node, parent: TextElement | null) => {
    const [, name = '', className = '', id = ''] = /^(\w+)(?:\.([^#]+))?(?:#(\w+))?$/.exec(is)!;
    const depth = parent === null ? 0 : parent.depth + 1;
    const at = { name, class: className, parent, depth, apart: '', inMain: '' } as unknown as TextElement;
    ids.set(at, id === '' ? name : id);
    for (const one of holds) {
      if ('is' in one) {
        put(one, at);
        continue;
      }
      const { words, linked = 0, heading = 0 } = one;
      blocks.push({ text: '', words, linkDensity: linked / words, linkShare: linked / words, heading, at });
    }
  };
  put(of('body', ...holds), null);
  const root = contentRoot(blocks);
  if (root === null) return 'none';
  return [root.element, ...root.beside].map((one) => ids.get(one)).join(' beside ');
}

describe('the element that holds the main text', () => {
  it('the element that holds the main text is missing if no block is a sentence: six words, at most a third in links', () => {
    assert.equal(rootIn(), 'none');
    assert.equal(rootIn({ words: 5 }), 'none');
    assert.equal(rootIn({ words: 6 }), 'body');
    assert.equal(rootIn({ words: 6, linked: 2 }), 'body');
    assert.equal(rootIn({ words: 6, linked: 3 }), 'none');
  });

  it('the element that holds the main text is found from the page down, and its own paragraphs have a tenth of the prose', () => {
    const inner = (words: number) => of('div#inner', p(words));
    assert.equal(rootIn(of('div#outer', p(10), inner(90))), 'outer');
    assert.equal(rootIn(of('div#outer', p(9), inner(90))), 'inner');
    assert.equal(rootIn(of('div#outer', { words: 10 }, inner(90))), 'outer', 'text of its own counts as well');
    assert.equal(rootIn(of('div#outer', { words: 9 }, inner(90))), 'inner');
    for (const name of ['ul', 'pre', 'blockquote', 'dl', 'h6', 'details'])
      assert.equal(rootIn(of('div#outer', of(name, { words: 10 }), inner(90))), 'outer', name);
  });

  it('the element that holds the main text has half of the prose around it; a table three quarters', () => {
    const split = (name: string, most: number, others: readonly number[]) =>
      rootIn(of(`${name}#best`, p(most)), ...others.map((words, n) => of(`aside.a${n}`, p(words))));
    assert.equal(split('div', 49, [19, 16, 16]), 'body');
    assert.equal(split('div', 50, [18, 16, 16]), 'best');
    assert.equal(rootIn(of('aside.a', p(16)), of('div#best', p(90)), of('aside.b', p(16))), 'best', 'not the first');
    assert.equal(rootIn(of('div.a#first', p(50)), of('div.b#second', p(50))), 'first beside second', 'of equals');
    for (const name of ['table', 'tbody', 'tr']) {
      assert.equal(split(name, 74, [13, 13]), 'body', name);
      assert.equal(split(name, 75, [13, 12]), 'best', name);
    }
  });
});

describe('one of several elements of a kind', () => {
  it('one of several elements of a kind is identified by its class, if the others have ten words of prose', () => {
    assert.equal(rootIn(of('div.post#best', p(90)), of('div.post', p(10))), 'body');
    assert.equal(rootIn(of('div.post#best', p(90)), of('div.post', p(9))), 'best');
    assert.equal(rootIn(of('div.post#best', p(90)), of('div.note', p(10))), 'best', 'another class');
    assert.equal(rootIn(of('div.post#best', p(90)), of('span.post', p(10))), 'best', 'another element');
    assert.equal(rootIn(of('div.post#best', p(90)), of('div.post', p(6)), of('div.post', p(6))), 'body');
  });

  it('one of several elements of a kind is a section beside sections, whatever their classes', () => {
    assert.equal(rootIn(of('section.a#best', p(90)), of('section.b', p(10))), 'body');
    assert.equal(rootIn(of('section.a#best', p(90)), of('section.b', p(9))), 'best');
    assert.equal(rootIn(of('section.a#best', p(90)), of('div.a', p(10))), 'best');
  });

  it('one of several elements of a kind is an article beside one with a tenth of the prose', () => {
    assert.equal(rootIn(of('article.a#best', p(90)), of('article.a', p(10))), 'body');
    assert.equal(rootIn(of('article.a#best', p(91)), of('article.a', p(9))), 'best');
    assert.equal(rootIn(of('article.a#best', p(90)), of('article.b', p(10))), 'best');
    assert.equal(rootIn(of('article#best', p(90)), of('article', p(10))), 'body', 'without a class');
  });

  it('one of several elements of a kind is beside three others without a distinguishing class', () => {
    for (const name of ['div', 'div.col', 'div.wrap-1', 'div.Container']) {
      const others = (...words: readonly number[]) => words.map((one) => of(name, p(one)));
      assert.equal(rootIn(of(`${name}#best`, p(150)), ...others(10, 10)), 'best', `${name}, two others`);
      assert.equal(rootIn(of(`${name}#best`, p(150)), ...others(6, 6, 6)), 'body', `${name}, three others`);
      assert.equal(rootIn(of(`${name}#best`, p(163)), ...others(6, 6, 6)), 'best', `${name}, under a tenth`);
    }
    assert.equal(rootIn(of('div.colour#best', p(150)), of('div.colour', p(18))), 'body', 'a name of their own');
  });
});

describe('one of several parts under equal headings', () => {
  const part = (rank: number, one: Node) => [heading(rank), one];
  const other = (n: number, words: number, linked = 0) => of(`div.o${n}`, { words, linked });

  it('one of several parts under equal headings hides none of the two others', () => {
    const best = part(2, of('div.text#best', p(90)));
    assert.equal(rootIn(...best, ...part(2, other(1, 8)), ...part(2, other(2, 8))), 'body');
    assert.equal(rootIn(...best, ...part(2, other(1, 16))), 'best', 'one other');
    const first = part(1, of('div.text#best', p(90)));
    assert.equal(rootIn(...first, ...part(1, other(1, 8)), ...part(1, other(2, 8))), 'body', 'of the first rank');
    assert.equal(rootIn(...best, ...part(3, other(1, 8)), ...part(3, other(2, 8))), 'best', 'of another rank');
    assert.equal(rootIn(...best, ...part(2, other(1, 9)), ...part(2, other(2, 1))), 'best', 'nine words of prose');
    assert.equal(rootIn(...best, ...part(2, other(1, 10)), ...part(2, other(2, 1))), 'body', 'ten');
  });

  it('one of several parts under equal headings is alone if the others are links', () => {
    const best = part(2, of('div.text#best', p(90)));
    const links = (linked: number) => [
      heading(2),
      of('div.o1', { words: 20 }, { words: 18, linked: 18 }),
      heading(2),
      of('div.o2', { words: 6 }, { words: 32, linked }),
    ];
    assert.equal(rootIn(...best, ...links(19)), 'body');
    assert.equal(rootIn(...best, ...links(20)), 'best', 'half of the words under its heading');
  });

  it('one of several parts under equal headings needs a heading above', () => {
    const others = [...part(2, other(1, 8)), ...part(2, other(2, 8))];
    assert.equal(rootIn(of('div.text#best', p(90)), ...others), 'best');
  });
});

describe('a part beside the main element', () => {
  it('a part beside the main element is main text, too, with twenty words of prose, a twentieth as many, and a tenth in links', () => {
    const beside = (most: number, ...blocks: readonly Block[]) =>
      rootIn(of('div.text#best', p(most)), of('div.other#other', ...blocks));
    const both = 'best beside other';
    assert.equal(beside(100, { words: 20 }), both);
    assert.equal(beside(100, { words: 19 }), 'best');
    assert.equal(beside(400, { words: 20 }), both);
    assert.equal(beside(401, { words: 20 }), 'best');
    assert.equal(beside(100, { words: 36 }, { words: 4, linked: 4 }), both);
    assert.equal(beside(100, { words: 36 }, { words: 5, linked: 5 }), 'best');
  });

  it('a part beside the main element is dropped if it is a paragraph, with less than a tenth', () => {
    assert.equal(rootIn(of('div.text#best', p(300)), p(22)), 'best');
  });

  it('a part beside the main element is kept on the whole way down', () => {
    const inner = of('div.inner', of('div.text#best', p(100)), of('div.b#low', p(30)));
    assert.equal(rootIn(of('div.outer', inner, of('div.a#high', p(30)))), 'best beside high beside low');
  });
});
