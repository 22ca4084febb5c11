/** What a page says of itself for machines, and the bounds of it. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readMarkup } from '../../../../topology/parse/rich/markup.ts';
import { createMetadataReader, metadataJson } from '../../../../topology/parse/rich/metadata.ts';
import { richLimits } from '../../../../topology/parse/rich/rich-limits.ts';

function metadataOf(html: string) {
  const reader = createMetadataReader();
  const text = (text: string, raw: boolean) => {
    if (raw) reader.rawText(text);
  };
  readMarkup(html, { open: reader.open, close: reader.close, text }, () => false);
  return reader.finish();
}
const script = (json: string, type = 'application/ld+json') => `<script type="${type}">${json}</script>`;
const jsonOf = (html: string) => {
  const { jsonLd, jsonLdBroken } = metadataOf(html);
  return [jsonLd, jsonLdBroken];
};

describe('Open Graph and its relatives', () => {
  it('Open Graph and its relatives are read by property, or by name, in lower case, each with its values in order', () => {
    const html = `<meta property=" OG:Title " content=" One "><meta name=twitter:card content=two>
      <meta property=og:title content=Three><meta property=og:image><meta name=description content=x>
      <meta property=og:type name=twitter:site content=y><meta property="og: x" content=z><link property=og:x content=z>`;
    assert.deepEqual(metadataOf(html).openGraph, {
      ...{ 'og:title': ['One', 'Three'], 'twitter:card': ['two'], 'og:image': [''], 'og:type': ['y'] },
    });
    const names = 'og article book profile video music product fb al twitter'.split(' ');
    const all = names.map((name) => `<meta property="${name}:a.b-c:d_1" content=x>`).join('');
    assert.deepEqual(
      Object.keys(metadataOf(all).openGraph),
      names.map((name) => `${name}:a.b-c:d_1`),
    );
  });

  it('Open Graph and its relatives have a maximum number of values', () => {
    const most = richLimits.metadataValuesMax;
    const values = (count: number) => `<meta property=og:image content=x>`.repeat(count);
    assert.equal(metadataOf(values(most)).openGraph['og:image']!.length, most);
    const { openGraph } = metadataOf(`${values(most)}<meta property=og:title content=x>`);
    assert.deepEqual(Object.keys(openGraph), ['og:image']);
  });
});

describe('JSON-LD', () => {
  it('JSON-LD is the content of scripts of its type', () => {
    assert.deepEqual(jsonOf(`${script('{"a":1}')}<p>x${script('[2]', ' Application/LD+JSON ; charset=utf-8')}`), [
      [{ a: 1 }, [2]],
      0,
    ]);
    assert.deepEqual(jsonOf(`${script('{"a":1}', 'application/json')}<script>{"b":2}</script><style>{}</style>`), [
      [],
      0,
    ]);
    assert.deepEqual(jsonOf(`${script('1')}<style>2</style></script>`), [[1], 0], 'each once');
    assert.deepEqual(jsonOf(`${script('1')}<script>2</script>${script('3')}`), [[1, 3], 0]);
  });

  it('JSON-LD may stand in a comment, as scripts once did', () => {
    for (const [before, behind] of [
      ['<!--', '-->'],
      [' \n<![CDATA[', ']]>\n '],
      ['/* <![CDATA[ */', '/* ]]> */'],
    ])
      assert.deepEqual(jsonOf(script(`${before}{"a":1}${behind}`)), [[{ a: 1 }], 0], before);
  });

  it('JSON-LD with the mistakes of templates is read as extruct reads it, or better', () => {
    const cases: readonly (readonly [json: string, value: unknown])[] = [
      ['{"a":"x\ny\tz\r\u0001\r\n"}', { a: 'x\ny\tz\n\u0001\n' }],
      ['{"a":1,}', { a: 1 }],
      ['[1,2 , ]', [1, 2]],
      ['{"a":[1,],\n}', { a: [1] }],
      ['{"a":1};', { a: 1 }],
      ['\ufeff{"a":1}', { a: 1 }],
      ['//<![CDATA[\n{"a":1}\n//]]>', { a: 1 }],
      ['{"a":"it\\\'s \\x2f \\$1 \\"b\\" \\u0041 \\\\\\/"}', { a: 'it\'s / $1 "b" A \\/' }],
      ['{"a":"one\\\n two\\\r\n three\\\tfour"}', { a: 'one two three\tfour' }],
      ['<!--\n{"a":1}\n//-->', { a: 1 }],
      ['{/* c, "d" */"a":1, // e\n"b":2,/* f */}', { a: 1, b: 2 }],
      ['{"a":"http://x.test/*y*/ //, }] <!-- ]]>",}', { a: 'http://x.test/*y*/ //, }] <!-- ]]>' }],
      ['{"a":"\\"b\\\\",}', { a: '"b\\' }],
    ];
    for (const [json, value] of cases) assert.deepEqual(jsonOf(script(json)), [[value], 0], json);
    for (const json of ['{a:1}', "{'a':1}", '{"a":1}{"b":2}', '[1 2]', '{"a":"b" "c":1}', '{"a":"b', '/* x', ''])
      assert.deepEqual(jsonOf(script(json)), [[], 1], json);
  });

  it('JSON-LD of a page is read leniently up to a limit', () => {
    const half = `["${'x'.repeat(richLimits.jsonLdLenientCharsMax / 2 - 5)}",]`;
    assert.equal(half.length, richLimits.jsonLdLenientCharsMax / 2);
    const page = script(half).repeat(3) + script('[1]');
    const { jsonLd, jsonLdBroken } = metadataOf(page);
    assert.deepEqual([jsonLd.length, jsonLdBroken], [3, 1]);
  });

  it('JSON-LD that is invalid, or too long, is counted', () => {
    const long = (chars: number) => `"${'x'.repeat(chars - 2)}"`;
    const most = richLimits.jsonLdCharsMax;
    const { jsonLd, jsonLdBroken } = metadataOf(
      `${script('{a')}${script('')}${script(long(most))}${script(long(most + 1))}`,
    );
    assert.deepEqual([jsonLd.map((one) => (one as string).length), jsonLdBroken], [[most - 2], 3]);
  });

  it('JSON-LD has a maximum number of blocks', () => {
    const most = richLimits.jsonLdBlocksMax;
    const blocks = (count: number) => Array.from({ length: count }, (_, n) => script(String(n))).join('');
    assert.equal(metadataOf(blocks(most)).jsonLd.length, most);
    assert.deepEqual(jsonOf(`${blocks(most + 1)}${script('{')}`), [Array.from({ length: most }, (_, n) => n), 0]);
  });
});

describe('metadata in a page’s record', () => {
  const none = { openGraph: {}, jsonLd: [], jsonLdBroken: 0 };

  it('metadata in a page’s record is absent if none was wanted or found', () => {
    assert.equal(metadataJson(null), '');
    assert.equal(metadataJson(none), '');
    for (const found of [{ openGraph: { 'og:x': ['y'] } }, { jsonLd: [1] }, { jsonLdBroken: 1 }])
      assert.deepEqual(JSON.parse(metadataJson({ ...none, ...found })), { ...none, ...found });
  });

  it('metadata in a page’s record loses its last blocks if it is too long, and everything if that is not enough', () => {
    const chars = richLimits.metadataCharsMax;
    const around = JSON.stringify({ ...none, jsonLd: [1, ''] }).length;
    const last = 'x'.repeat(chars - around);
    const kept = (jsonLd: unknown[]) => JSON.parse(metadataJson({ ...none, jsonLd })).jsonLd.length;
    assert.equal(kept([1, last]), 2);
    assert.equal(kept([1, `${last}x`]), 1);
    assert.equal(kept([1, `${last}x`, 2]), 1, 'in their order');
    assert.equal(kept([`${last}${last}`]), 0);
    assert.equal(metadataJson({ ...none, openGraph: { 'og:x': [`${last}${last}`] }, jsonLd: [1] }), '');
  });
});
