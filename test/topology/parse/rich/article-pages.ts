/**
 * Pages whose main text is known, in layouts that sites have: what surrounds the text is made of the same words as the
 * text, so that only its form tells it apart.
 */
export interface ArticlePage {
  readonly layout: string;
  readonly html: string;
  /** Paragraphs and headings, in order. */
  readonly main: readonly string[];
}

type Draw = (below: number) => number;

const english =
  'river stone market window report council garden engine summer price letter harbor winter signal method patient forest museum village science teacher kitchen traffic player budget border critic record theory voice'.split(
    ' ',
  );
const chinese = [...'城市河流春天研究市场学生音乐山水历史问题发展科学家庭时间工作生活世界'];

export function articlePage(seed: number, layout: Layout, script: 'latin' | 'han' = 'latin'): ArticlePage {
  const draw = drawer(seed);
  const phrase = (words: number) =>
    script === 'han'
      ? Array.from({ length: words * 2 }, () => chinese[draw(chinese.length)]).join('')
      : Array.from({ length: words }, () => english[draw(english.length)]).join(' ');
  const sentence = () => `${phrase(8 + draw(14))}${script === 'han' ? '。' : '.'}`;
  const main = [`${phrase(5)}`];
  const body: string[] = [`<h1>${main[0]}</h1>`];
  for (let i = 0; i < 4 + draw(6); i++) {
    if (i > 0 && draw(4) === 0) {
      const heading = phrase(3);
      main.push(heading);
      body.push(`<h2>${heading}</h2>`);
    }
    const sentences = Array.from({ length: 2 + draw(4) }, sentence);
    main.push(sentences.join(' '));
    // A link or an emphasis inside a paragraph is text like the rest.
    const first = sentences[0]!;
    const cutAt = script === 'han' ? 4 : first.indexOf(' ', 10);
    const marked = `<a href="/in-text">${first.slice(0, cutAt)}</a>${first.slice(cutAt)}`;
    body.push(`<p>${[marked, ...sentences.slice(1)].join(' ')}</p>`);
    if (draw(3) > 0) continue;
    // Short lines between long ones are the hard part.
    const items = Array.from({ length: 3 }, () => phrase(3 + draw(6)));
    main.push(...items);
    body.push(`<ul>${items.map((item) => `<li>${item}</li>`).join('')}</ul>`);
  }
  const links = (count: number, words = 3) =>
    Array.from({ length: count }, (_, i) => `<li><a href="/l${i}">${phrase(words)}</a></li>`).join('');
  const teasers = (count: number) =>
    Array.from({ length: count }, (_, i) => `<div><a href="/t${i}"><b>${phrase(6)}</b> ${phrase(9)}</a></div>`).join(
      '',
    );
  const parts = { body: body.join('\n'), links, teasers, phrase };
  return {
    layout,
    html: `<!doctype html><html><head><title>${phrase(6)}</title></head>${layouts[layout](parts)}</html>`,
    main,
  };
}

interface Parts {
  readonly body: string;
  readonly links: (count: number, words?: number) => string;
  readonly teasers: (count: number) => string;
  readonly phrase: (words: number) => string;
}

const layouts = {
  semantic: ({ body, links, teasers, phrase }: Parts) =>
    `<body><header><a href="/">${phrase(2)}</a><nav><ul>${links(12)}</ul></nav></header><main><article>${body}</article></main>` +
    `<aside><h3>${phrase(2)}</h3>${teasers(6)}</aside><footer><p>${phrase(40)}</p><ul>${links(8)}</ul></footer></body>`,
  named: ({ body, links, teasers, phrase }: Parts) =>
    `<body><div class="cookie-banner"><p>${phrase(45)}</p><button>ok</button></div><div id="nav"><ul>${links(15)}</ul></div>` +
    `<div class="content">${body}</div><div class="share">${phrase(6)}</div><div class="related-posts">${teasers(5)}</div>` +
    `<div id="comments"><p>${phrase(30)}</p><p>${phrase(25)}</p></div><div class="footer">${phrase(20)}</div></body>`,
  bare: ({ body, links, teasers, phrase }: Parts) =>
    `<body><div><div><ul>${links(14)}</ul></div><div><a href="/">${phrase(2)}</a> | <a href="/a">${phrase(1)}</a></div>` +
    `<div>${body}</div><div><ul>${links(10, 6)}</ul>${teasers(6)}</div><div>${phrase(4)}</div><div>${phrase(24)}</div></div></body>`,
  tables: ({ body, links, phrase }: Parts) =>
    `<body><table><tr><td><table><tr><td><ul>${links(16)}</ul></td></tr></table></td><td>${body}</td>` +
    `<td><ul>${links(10, 5)}</ul></td></tr><tr><td><font size=1>${phrase(3)}</font></td></tr></table></body>`,
  unclosed: ({ body, links, teasers, phrase }: Parts) =>
    `<body><DIV ROLE=navigation><UL>${links(10).replaceAll('</li>', '')}</UL></DIV><DIV ROLE=main>` +
    `${body.replaceAll('</p>', '')}</DIV><DIV CLASS=sidebar>${teasers(4)}</DIV><P>${phrase(3)}`,
};
export type Layout = keyof typeof layouts;
export const layoutNames = Object.keys(layouts) as Layout[];

/** Numerical Recipes' linear congruence: any will do for a page. */
function drawer(seed: number): Draw {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

export interface Overlap {
  readonly precision: number;
  readonly recall: number;
  readonly f1: number;
}

/** Of the words of `found`, counted with their number: how many are of `main`, and how many of `main` are there. */
export function overlap(found: string, main: readonly string[]): Overlap {
  const wanted = countsOf(main.join(' '));
  const got = countsOf(found);
  let both = 0;
  let gotAll = 0;
  for (const [word, count] of got) {
    both += Math.min(count, wanted.get(word) ?? 0);
    gotAll += count;
  }
  let wantedAll = 0;
  for (const count of wanted.values()) wantedAll += count;
  const precision = gotAll === 0 ? 0 : both / gotAll;
  const recall = both / wantedAll;
  return { precision, recall, f1: both === 0 ? 0 : (2 * precision * recall) / (precision + recall) };
}

/** A character of a script without spaces is a word. */
function countsOf(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const [word] of text.matchAll(/[\p{Script=Han}]|[\p{L}\p{N}]+/gu)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}
