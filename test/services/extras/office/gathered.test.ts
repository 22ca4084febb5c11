import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Gathered, readProperties, scanPart } from '../../../../services/extras/office/gathered.ts';
import { ZipParts } from '../../../../services/extras/office/zip-parts.ts';
import { parseLimits } from '../../../../topology/parse/parse-limits.ts';
import { gatheringOf } from './gathering.ts';
import { zipOf } from './office-files.ts';

const partsOf = async (parts: Readonly<Record<string, string>>) => new ZipParts(await zipOf(parts));

test('gathered text is full with the line that exceeds the limit, and only later lines are cut', () => {
  const gathered = new Gathered(gatheringOf({ textCharsMax: 10 }));
  for (const text of ['aaaa', 'bbbb', 'c']) {
    assert.equal(gathered.isFull, false, text);
    gathered.add(text);
    gathered.endLine();
  }
  assert.deepEqual([gathered.isFull, gathered.isCut], [true, false]);
  gathered.add('d');
  gathered.endLine();
  assert.deepEqual([gathered.isCut, gathered.text], [true, 'aaaa\nbbbb\nc']);
});

test('an endless line grows to twice the text limit and the piece that exceeds it', () => {
  const gathered = new Gathered(gatheringOf({ textCharsMax: 10 }));
  gathered.add('x'.repeat(20));
  gathered.add('y');
  gathered.add('z');
  gathered.endLine();
  assert.equal(gathered.text, `${'x'.repeat(20)}y`);
});

test('cells are separated by tabs, their blanks collapsed; empty cells and lines are dropped', () => {
  const gathered = new Gathered(gatheringOf());
  for (const cell of [' a  b ', '', 'c\n d', '']) {
    gathered.add(cell);
    gathered.endCell();
  }
  gathered.endLine();
  gathered.add(' \t ');
  gathered.endLine();
  gathered.add('last');
  gathered.endLine();
  assert.equal(gathered.text, 'a b\tc d\nlast');
});

test('links of office files are absolute web URLs, each once', () => {
  const gathered = new Gathered(gatheringOf());
  for (const href of [
    'http://a.test/1',
    ' HTTPS://b.test/#x',
    '/2',
    '//c.test/',
    'mailto:a@b.test',
    'http://[',
    'x http://d.test/',
  ])
    gathered.link(href);
  gathered.link('http://a.test/1#again');
  assert.deepEqual([...gathered.links], ['http://a.test/1', 'https://b.test/']);
});

test('at most a hundred thousand links are kept', () => {
  const gathered = new Gathered(gatheringOf());
  for (let n = 0; n < 100_001; n++) gathered.link(`http://a.test/${n}`);
  assert.equal(gathered.links.size, 100_000);
  assert.ok(gathered.links.has('http://a.test/99999'));
});

test('a part is read in slices while time is left', async () => {
  const slice = parseLimits.sliceChars;
  const xml = `<a>${'t'.repeat(2 * slice - 7)}</a>`;
  assert.equal(xml.length, 2 * slice);
  const parts = await partsOf({ 'x.xml': xml });
  // Looks at the time are one for each slice: the one that comes later would find that there is none left.
  for (const looks of [0, 1, 2]) {
    let [left, text] = [looks, ''];
    const gathered = new Gathered(gatheringOf({ expired: () => left-- <= 0 }));
    scanPart(parts, 'x.xml', gathered, { text: (more) => (text += more) });
    assert.equal(gathered.isCut, looks < 2, `${looks}`);
    assert.ok(looks === 2 ? text.length === 2 * slice - 7 : text.length <= looks * slice, `${looks}: ${text.length}`);
  }
  const gathered = new Gathered(gatheringOf({ expired: () => true }));
  scanPart(parts, 'no.xml', gathered, {});
  assert.equal(gathered.isCut, false, 'a part that is not there takes no time');
});

test('properties are Dublin Core’s, and the first of each counts', async () => {
  const dc = (name: string, text: string) => `<dc:${name}>${text}</dc:${name}>`;
  const read = async (properties: string, gathered = new Gathered(gatheringOf())) => {
    readProperties(await partsOf({ 'meta.xml': `<m>${properties}</m>` }), 'meta.xml', gathered);
    return [gathered.title, gathered.description, gathered.language];
  };
  const two = `<cp:title>other</cp:title>${dc('title', 'On<b/>e')} after ${dc('title', 'Two')}`;
  assert.deepEqual(await read(`${two}${dc('subject', 's')}${dc('language', ' EN-gb ')}`), ['On', 's', 'en-gb']);
  assert.deepEqual(await read(`${dc('subject', 's')}${dc('description', 'd')}`), ['', 'd', '']);
  const known = Object.assign(new Gathered(gatheringOf()), { title: 'known', description: 'is', language: 'de' });
  assert.deepEqual(await read(`${dc('title', 't')}${dc('subject', 's')}${dc('language', 'en')}`, known), [
    'known',
    'is',
    'de',
  ]);
  const [title] = await read(dc('title', 'x'.repeat(4_001)));
  assert.equal(title!.length, 4_000);
});
