import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compileExtractRules, extractRulesSchema } from '../../../../services/fetcher/pages/extract-rules.ts';
import { parseWholePage } from '../../../../services/fetcher/pages/parse-page.ts';

const html = `<HTML><BODY><H1 CLASS="name">Lamp</H1><SPAN CLASS="price" CONTENT="19.90">19,90 &euro;</SPAN>
  <ul><li><a href="/a">A</a><li><a href="/b">B</a><li><a>none</a></ul><time datetime=2026-11-21>today</time></BODY></HTML>`;

function fieldsOf(page: string, fields: readonly object[], hostname = 'shop.test') {
  const rules = extractRulesSchema.parse({ fields });
  const wishes = compileExtractRules(rules)(hostname);
  const options = {
    url: `http://${hostname}/p/1`,
    contentType: 'text/html',
    robotsTags: [],
    productToken: 'test',
    linksMax: 100,
    textCharsMax: 1_000,
    byteBudget: page.length,
    expired: () => false,
  };
  return parseWholePage(Buffer.from(page), options, wishes).rich?.fields;
}

test('selectors take fields of their types from a page, whatever the case of its markup', () => {
  assert.deepEqual(
    fieldsOf(html, [
      { name: 'name', selector: 'h1.name' },
      { name: 'price', selector: '.price', type: 'number' },
      { name: 'exact', selector: '.price', attribute: 'content', type: 'number' },
      { name: 'links', selector: 'li > a', attribute: 'href', type: 'url', all: true },
      { name: 'day', selector: 'time', attribute: 'datetime', type: 'date' },
      { name: 'stock', selector: '.name', type: 'integer' },
      { name: 'missing', selector: '#nowhere' },
    ]),
    [
      { name: 'name', type: 'string', values: ['Lamp'], problem: '' },
      { name: 'price', type: 'number', values: ['19.9'], problem: '' },
      { name: 'exact', type: 'number', values: ['19.9'], problem: '' },
      { name: 'links', type: 'url', values: ['http://shop.test/a', 'http://shop.test/b'], problem: '' },
      { name: 'day', type: 'date', values: ['2026-11-21T00:00:00.000Z'], problem: '' },
      { name: 'stock', type: 'integer', values: [], problem: '"Lamp" is not a valid integer' },
      { name: 'missing', type: 'string', values: [], problem: '' },
    ],
  );
});

test('fields apply to the hosts that they name; other pages are not even parsed for them', () => {
  const rule = { name: 'n', hosts: ['*.shop.test'], selector: 'h1' };
  assert.equal(fieldsOf(html, [rule], 'shop.test'), undefined);
  assert.equal(fieldsOf(html, [rule], 'www.shop.test')?.length, 1);
});

test('a page without a body, or with endless nesting, still has its fields', () => {
  assert.deepEqual(fieldsOf('<h1>a</h1><h1>b</h1>', [{ name: 'n', selector: 'h1', all: true }])?.[0]?.values, [
    'a',
    'b',
  ]);
  const deep = `${'<div>'.repeat(200_000)}<h1>deep</h1>`;
  assert.equal(fieldsOf(`<h1>top</h1>${deep}`, [{ name: 'n', selector: 'h1' }])?.[0]?.values[0], 'top');
});

for (const [what, rules, message] of [
  ['a selector', { fields: [{ name: 'a', selector: 'h1[' }] }, /is not a CSS selector: (?!undefined)./],
  ['a type', { fields: [{ name: 'a', selector: 'h1', type: 'money' }] }, /string.*number/],
  ['a name', { fields: [{ name: '1 a', selector: 'h1' }] }, /start with a letter/],
  ['a key', { mainTxt: true }, /mainTxt/],
] as const) {
  test(`an invalid ${what} is refused by name`, () => {
    assert.match(JSON.stringify(extractRulesSchema.safeParse(rules).error?.issues), message);
  });
}

test('twenty fields with all nested elements of a small page stay within a record’s size, and say so', () => {
  const nested = `${'<div>'.repeat(100)}${'x'.repeat(10_000)}`;
  const rules = Array.from({ length: 20 }, (_, n) => ({ name: `f${n}`, selector: 'div', all: true }));
  const fields = fieldsOf(nested, rules)!;
  const chars = fields.flatMap(({ values }) => values).reduce((sum, { length }) => sum + length, 0);
  assert.equal(chars, 1_000_000);
  assert.match(fields[19]!.problem, /1000000 characters together/);
});

test('a selector takes the first matching element, or all if the rule says so', () => {
  const html = '<h2>A</h2><h2>B</h2><h2>C</h2>';
  const of = (all: boolean) => fieldsOf(html, [{ name: 'n', selector: 'h2', all }])?.[0]?.values;
  assert.deepEqual(of(false), ['A']);
  assert.deepEqual(of(true), ['A', 'B', 'C']);
});

test('the root of a page and its first element can be selected, even with omitted tags', () => {
  const whole = '<html lang=de><body class=c><p>A</p></body></html>';
  const of = (html: string, selector: string, attribute: string) =>
    fieldsOf(html, [{ name: 'n', selector, attribute }])?.[0]?.values;
  assert.deepEqual(of(whole, 'html', 'lang'), ['de']);
  assert.deepEqual(of(whole, 'html > body', 'class'), ['c']);
  assert.deepEqual(of('<p class=d>A</p>', 'html > body > p', 'class'), ['d']);
});
