import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { charsetParameter, createXmlDecoder, decodePage, decodeXml } from '../../../topology/parse/charset.ts';
import { parsePage } from '../../../topology/parse/page.ts';

const latin = (text: string) => new Uint8Array(Buffer.from(text, 'latin1'));
const utf8 = (text: string) => new TextEncoder().encode(text);

it('a byte order mark wins over the header, the header over the markup', () => {
  assert.equal(decodePage(Uint8Array.of(0xef, 0xbb, 0xbf, 0x61), 'text/html; charset=koi8-r').charset, 'utf-8');
  assert.equal(decodePage(Uint8Array.of(0xfe, 0xff, 0, 0x61), null).charset, 'utf-16be');
  assert.equal(decodePage(Uint8Array.of(0xff, 0xfe, 0x61, 0), null).charset, 'utf-16le');
  assert.equal(decodePage(latin('<meta charset=koi8-r>'), 'text/html; charset=big5').charset, 'big5');
});

it('markup counts in its first 1,024 bytes, in either form', () => {
  assert.equal(decodePage(latin('<META CHARSET="windows-1251">'), 'text/html').charset, 'windows-1251');
  const pragma = '<meta http-equiv="Content-Type" content="text/html; charset=iso-8859-2">';
  assert.equal(decodePage(latin(pragma), null).charset, 'iso-8859-2');
  assert.equal(decodePage(latin(`<!--${'x'.repeat(1100)}--><meta charset=koi8-r>`), null).charset, 'windows-1252');
  assert.equal(decodePage(latin('<!-- <meta charset=koi8-r> -->'), null).charset, 'windows-1252');
});

it('a head that ends in the middle of a declaration breaks nothing', () => {
  for (const end of ['charset', 'charset=', 'charset ', 'charset="']) {
    assert.equal(decodePage(latin(`<meta http-equiv=content-type content="${end}">`), null).charset, 'windows-1252');
  }
});

it('an unknown label is ignored', () => {
  assert.equal(decodePage(latin('<meta charset=koi8-r>'), 'text/html; charset=none').charset, 'koi8-r');
});

/** Bytes as other programs write them: TextEncoder knows UTF-8 only. */
const samples: Readonly<Record<string, { readonly hex: string; readonly text: string }>> = {
  gb18030: {
    hex: 'c8cbc8cbc9fab6f8d7d4d3c9a3acd4dad7f0d1cfbacdc8a8c0fbc9cfd2bbc2c9c6bdb5c8a1a3cbfbc3c7b8b3d3d0c0edd0d4bacdc1bcd0c4a3acb2a2d3a6d2d4d0d6b5dcb9d8cfb5b5c4beabc9f1cfe0b6d4b4fda1a3',
    text: '人人生而自由，在尊严和权利上一律平等。他们赋有理性和良心，并应以兄弟关系的精神相对待。',
  },
  big5: {
    hex: 'a448a448a5cda6d3a6dba5d1a141a662b44cc459a94dc576a751a457a440abdfa5adb5a5a143a54cadccbde1a6b3b27aa9caa94da87da4dfa141a8c3c0b3a548a553a7ccc3f6ab59aababaebafabacdbb9efabdda143',
    text: '人人生而自由，在尊嚴和權利上一律平等。他們賦有理性和良心，並應以兄弟關係的精神相對待。',
  },
  shift_jis: {
    hex: '82b782d782c482cc906c8ad482cd814190b682dc82ea82c882aa82e782c982b582c48ea9975282c582a082e8814182a982c2814191b88cb582c68ca0979882c682c982c282a282c495bd939982c582a082e98142',
    text: 'すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。',
  },
  'euc-jp': {
    hex: 'a4b9a4d9a4c6a4cebfcdb4d6a4cfa1a2c0b8a4dea4eca4caa4aca4e9a4cba4b7a4c6bcabcdb3a4c7a4a2a4eaa1a2a4aba4c4a1a2c2bab8b7a4c8b8a2cdf8a4c8a4cba4c4a4a4a4c6cabfc5f9a4c7a4a2a4eba1a3',
    text: 'すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。',
  },
  'euc-kr': {
    hex: 'b8f0b5e720c0ceb0a3c0ba20c5c2beeeb3af20b6a7bacec5cd20c0dac0afb7cebfecb8e720b1d720c1b8bef6b0fa20b1c7b8aebfa120c0d6beee20b5bfb5eec7cfb4d92e',
    text: '모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다.',
  },
  'windows-1251': {
    hex: 'c2f1e520ebfee4e820f0eee6e4e0fef2f1ff20f1e2eee1eee4edfbece820e820f0e0e2edfbece820e220f1e2eee5ec20e4eef1f2eee8edf1f2e2e520e820eff0e0e2e0f52e20ceede820ede0e4e5ebe5edfb20f0e0e7f3eceeec20e820f1eee2e5f1f2fcfe2e',
    text: 'Все люди рождаются свободными и равными в своем достоинстве и правах. Они наделены разумом и совестью.',
  },
  'koi8-r': {
    hex: 'f7d3c520ccc0c4c920d2cfd6c4c1c0d4d3d120d3d7cfc2cfc4ced9cdc920c920d2c1d7ced9cdc920d720d3d7cfc5cd20c4cfd3d4cfc9ced3d4d7c520c920d0d2c1d7c1c82e20efcec920cec1c4c5ccc5ced920d2c1dad5cdcfcd20c920d3cfd7c5d3d4d8c02e',
    text: 'Все люди рождаются свободными и равными в своем достоинстве и правах. Они наделены разумом и совестью.',
  },
  'windows-1252': {
    hex: '546f7573206c657320ea747265732068756d61696e73206e61697373656e74206c696272657320657420e96761757820656e206469676e6974e920657420656e2064726f6974732e20496c7320736f6e7420646f75e97320646520726169736f6e2c206ff920e974e920e020ea7472652067e96ee9726575782e',
    text: 'Tous les êtres humains naissent libres et égaux en dignité et en droits. Ils sont doués de raison, où été à être généreux.',
  },
};

for (const [charset, { hex, text }] of Object.entries(samples)) {
  it(`an undeclared page in ${charset} is recognised`, () => {
    const page = Buffer.concat([
      latin('<html><title>Welcome to our site</title><p>'),
      Buffer.from(hex, 'hex'),
      latin('</p>'),
    ]);
    const read = parsePage(page, {
      ...{ url: 'http://a.test/', contentType: 'text/html', robotsTags: [], productToken: 'x', linksMax: 9 },
      ...{ textCharsMax: 9_999, byteBudget: 99_999, expired: () => false },
    });
    assert.equal(read.charset, charset);
    assert.ok(read.text.includes(text), read.text);
  });
}

it('undeclared non-ASCII bytes are UTF-8 if valid, cut or not, else windows-1252', () => {
  assert.deepEqual(decodePage(utf8('ツ'), null), { text: 'ツ', charset: 'utf-8', tentative: true });
  assert.deepEqual(decodePage(utf8('ツツ').subarray(0, 5), null), { text: 'ツ', charset: 'utf-8', tentative: true });
  assert.deepEqual(decodePage(latin('\x80\xe9'), null), { text: '€é', charset: 'windows-1252', tentative: true });
  assert.equal(decodePage(utf8(''), null).text, '');
});

it('declared bytes are decoded, malformed ones replaced, the byte order mark dropped', () => {
  assert.equal(decodePage(Uint8Array.of(0xef, 0xbb, 0xbf, 0x61, 0xe3, 0xab), null).text, 'a\ufffd');
  assert.equal(decodePage(Uint8Array.of(0xea, 0xe8), 'text/html; charset=cp1251').text, 'ки');
});

it('charset is read from a media type with all its quotes', () => {
  assert.equal(charsetParameter('text/html; Charset="ISO-8859-4"'), 'ISO-8859-4');
  assert.equal(charsetParameter('text/html; foo="bar; charset=utf-7;"; charset=utf-8'), 'utf-8');
  assert.equal(charsetParameter('text/html; charset=utf-8, text/plain; charset=utf-16'), 'utf-8');
  assert.equal(charsetParameter('text/html; xcharset=utf-8'), null);
  assert.equal(charsetParameter('text/html; charset='), null);
  assert.equal(charsetParameter('text/html; version=; charset=utf-8'), 'utf-8');
  assert.equal(charsetParameter(`text/html;${'a;'.repeat(100_000)}`), null);
  const cases: readonly (readonly [parameters: string, charset: string | null])[] = [
    ['', null],
    [';', null],
    [';charset', null],
    [';charset=a', 'a'],
    [';charset = a', null],
    [';charset=a ;x=y', 'a'],
    [';x;charset=a', 'a'],
    [';x=charset=b;charset=a', 'a'],
    [';charset=,b', null],
    [';charset=""', null],
    [';charset="a', 'a'],
    [';charset="a\\"b";charset=c', 'a"b'],
    [';charset="a\\\\";charset=c', 'a\\'],
    [';charset="a\\', 'a\\'],
    [';x="\\";charset=b";charset=a', 'a'],
    [';charset="a;b"', 'a;b'],
    [';charset="a"b;charset=c', 'a'],
    [';charset="";charset=a', 'a'],
    [';charset=a;charset=b', 'a'],
  ];
  for (const [parameters, charset] of cases)
    assert.equal(charsetParameter(`text/html${parameters}`), charset, parameters);
});

it('XML has the charset of its header or declaration, else UTF-8', () => {
  assert.equal(
    decodeXml(latin('<?xml version="1.0" encoding="iso-8859-1"?><a>\xe9</a>'), null).slice(-6),
    '<a>é</a>'.slice(-6),
  );
  assert.equal(decodeXml(utf8('<a>ツ</a>'), 'application/xml'), '<a>ツ</a>');
});

it('a declaration after the first kilobyte applies to the whole page', () => {
  const read = (html: string) =>
    parsePage(latin(html), {
      url: 'http://a.test/',
      contentType: null,
      robotsTags: [],
      productToken: '',
      linksMax: 10,
      textCharsMax: 5_000,
      byteBudget: 10_000,
      expired: () => false,
    });
  const late = read(`<p>\xc1</p><!--${'x'.repeat(2_000)}--><meta charset=koi8-r><meta charset=big5>`);
  assert.deepEqual([late.charset, late.text], ['koi8-r', 'а']);
  assert.equal(read(`<!--${'x'.repeat(2_000)}--><meta charset=utf-16>`).charset, 'utf-8');
  assert.equal(read(`<!--${'x'.repeat(2_000)}<meta charset=koi8-r>-->`).charset, 'windows-1252');
});

it('an XML declaration counts without a meta, and UTF-16 needs no mark before one', () => {
  const declared = '<?xml version="1.0" encoding="koi8-r"?><html>';
  assert.equal(decodePage(latin(`${declared}\xc1`), 'application/xhtml+xml').text.at(-1), 'а');
  assert.equal(decodePage(latin(`${declared}<meta charset=windows-1251>\xe0`), null).charset, 'windows-1251');
  assert.equal(decodePage(latin('<?xml encoding="utf-16"?>a'), null).charset, 'utf-8');
  const wide = new Uint8Array(Buffer.from('<?xml version="1.0"?><a>é</a>', 'utf16le'));
  assert.equal(decodePage(wide, null).charset, 'utf-16le');
  assert.equal(decodeXml(wide, 'application/xml').slice(-5), 'é</a>');
  wide.forEach((_, i) => {
    if (i % 2 === 0) [wide[i], wide[i + 1]] = [wide[i + 1]!, wide[i]!];
  });
  assert.equal(decodeXml(wide, null).slice(-5), 'é</a>');
});

it('one last non-ASCII byte is no cut UTF-8', () => {
  assert.deepEqual(
    [decodePage(latin('caf\xe9'), null).text, decodePage(latin('caf\xe9'), null).charset],
    ['café', 'windows-1252'],
  );
});

const of = (...given: readonly number[]) => Uint8Array.from(given);

it('a byte order mark is complete or absent', () => {
  const koi8 = 'text/html; charset=koi8-r';
  for (const start of [
    [0xef, 0xbb, 0x61],
    [0xef, 0x61, 0xbf],
    [0x61, 0xbb, 0xbf],
    [0xfe, 0x61],
    [0x61, 0xff],
    [0xff, 0x61],
    [0x61, 0xfe],
  ])
    assert.equal(decodePage(of(...start), koi8).charset, 'koi8-r', start.join());
  for (const [charset, ...mark] of [
    ['utf-8', 0xef, 0xbb, 0xbf],
    ['utf-16be', 0xfe, 0xff],
    ['utf-16le', 0xff, 0xfe],
  ] as const) {
    const { charset: reported, tentative, text } = decodePage(of(...mark), koi8);
    assert.deepEqual([reported, tentative, text], [charset, false, '']);
  }
});

it('UTF-16 without a mark is recognised by a complete `<?` (HTML standard, prescan)', () => {
  assert.equal(decodePage(of(0x3c, 0, 0x3f, 0), null).charset, 'utf-16le');
  assert.equal(decodePage(of(0, 0x3c, 0, 0x3f), null).charset, 'utf-16be');
  for (const start of [
    [0x3c, 0, 0x3f, 0x61],
    [0x3c, 0x61, 0x3f, 0],
    [0x61, 0, 0x3f, 0],
    [0x3c, 0, 0x61, 0],
  ])
    assert.doesNotMatch(decodePage(of(...start), null).charset, /utf-16/, start.join());
  for (const start of [
    [0x61, 0x3c, 0, 0x3f],
    [0, 0x61, 0, 0x3f],
    [0, 0x3c, 0x61, 0x3f],
    [0, 0x3c, 0, 0x61],
  ])
    assert.doesNotMatch(decodePage(of(...start), null).charset, /utf-16/, start.join());
});

it('UTF-8 may be cut behind any byte of any character', () => {
  for (const code of [0x80, 0x7ff, 0x800, 0xffff, 0x10000, 0x10ffff]) {
    const char = String.fromCodePoint(code);
    const whole = new TextEncoder().encode(`a\u00e9${char}`);
    const before = whole.length - new TextEncoder().encode(char).length;
    for (let length = before; length <= whole.length; length++) {
      const { text, charset, tentative } = decodePage(whole.subarray(0, length), null);
      const expected = length === whole.length ? `a\u00e9${char}` : 'a\u00e9';
      assert.deepEqual([text, charset, tentative], [expected, 'utf-8', true], `${code.toString(16)} at ${length}`);
    }
  }
  // Bytes that follow none, or are too few before another, make it no UTF-8.
  for (const bad of [
    of(0x61, 0x80),
    of(0x61, 0xc3, 0x61),
    of(0xe2, 0x82, 0x61, 0x62),
    of(0x80, 0x80, 0x80, 0x80),
    of(0x61, 0xc3, 0xa9, 0xe2, 0x61),
  ])
    assert.notEqual(decodePage(bad, null).charset, 'utf-8', bad.join());
});

describe('XML in pieces', () => {
  const inPieces = (bytes: Uint8Array, size: number, contentType: string | null = null) => {
    const stream = createXmlDecoder(contentType);
    const texts: string[] = [];
    for (let at = 0; at < bytes.length; at += size) texts.push(stream.write(bytes.subarray(at, at + size)));
    return { texts, text: texts.join('') + stream.end() };
  };

  it('XML in pieces starts with its first kilobyte, or at its end', () => {
    const stream = createXmlDecoder(null);
    assert.deepEqual(
      [stream.write(Buffer.alloc(1_023, 'a')), stream.write(Buffer.from('b'))],
      ['', `${'a'.repeat(1_023)}b`],
    );
    assert.deepEqual([stream.write(Buffer.from('c')), stream.end()], ['c', '']);
    const short = createXmlDecoder(null);
    assert.deepEqual([short.write(Buffer.from('ab')), short.write(Buffer.from('c')), short.end()], ['', '', 'abc']);
    assert.equal(createXmlDecoder(null).end(), '');
  });

  it('XML in pieces is the same for any pieces, in any encoding', () => {
    const text = `<?xml version="1.0"?>${'\u20ac caf\u00e9 '.repeat(300)}`;
    for (const size of [1, 7, 1_000, 1_024, 9_999])
      assert.equal(inPieces(Buffer.from(text), size).text, text, `${size}`);
    const latin = Buffer.from('caf\u00e9 '.repeat(300), 'latin1');
    for (const size of [1, 1_000])
      assert.equal(inPieces(latin, size, 'text/xml; charset=windows-1252').text, 'caf\u00e9 '.repeat(300));
    const wide = Buffer.from(text, 'utf16le');
    assert.equal(inPieces(wide, 3).text, text);
  });

  it('XML in pieces has the charset of its header, before its declaration', () => {
    const bytes = Buffer.concat([Buffer.from('<?xml version="1.0" encoding="iso-8859-5"?>'), of(0xe9)]);
    assert.match(inPieces(bytes, 99).text, /\u0449$/);
    assert.match(inPieces(bytes, 99, 'text/xml; charset=koi8-r').text, /\u0418$/);
  });

  it('XML in pieces that is cut within a character ends with a replacement character', () => {
    assert.equal(inPieces(of(0x61, 0xe2, 0x82), 99).text, 'a\ufffd');
  });
});
