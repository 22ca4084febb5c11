import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Gathered } from '../../../../services/extras/office/gathered.ts';
import { readOdt } from '../../../../services/extras/office/read-odt.ts';
import { ZipParts } from '../../../../services/extras/office/zip-parts.ts';
import { gatheringOf } from './gathering.ts';
import { zipOf } from './office-files.ts';

async function read(content: string, more: Readonly<Record<string, string>> = {}): Promise<Gathered> {
  const gathered = new Gathered(gatheringOf());
  readOdt(new ZipParts(await zipOf({ 'content.xml': `<d>${content}</d>`, ...more })), gathered);
  return gathered;
}

test('paragraphs and headings of an .odt file are lines, also nested, with blanks for spaces, tabs and breaks', async () => {
  const inner = 'before<draw><text:p>inner</text:p></draw>after';
  const { text } = await read(
    `no<text:h>head</text:h>no<text:p>a<text:s/>b<text:tab/>c<text:line-break/>d</text:p><text:p>${inner}</text:p>no`,
  );
  assert.equal(text, 'head\na b c d\nbeforeinner\nafter');
});

test('deleted text, notes and forms of an .odt file give neither text nor links', async () => {
  const link = '<text:a xlink:href="http://a.test/apart">x</text:a>';
  const noted = `<office:annotation><text:p>note${link}<text:s/></text:p><text:p>more</text:p></office:annotation>`;
  const { text, links } = await read(
    [
      `<text:tracked-changes><text:p>gone</text:p></text:tracked-changes><office:forms><text:p>form</text:p></office:forms>`,
      `<text:p>a${noted}b<text:a xlink:href="http://a.test/">c</text:a><draw:image xlink:href="http://a.test/picture"/></text:p><text:p>d</text:p>`,
    ].join(''),
  );
  assert.equal(text, 'abc\nd');
  assert.deepEqual([...links], ['http://a.test/']);
});

test('properties of an .odt file are read, and a manifest without encryption has no effect', async () => {
  const { title, text } = await read('<text:p>a</text:p>', {
    'meta.xml': '<m><dc:title>T</dc:title></m>',
    'META-INF/manifest.xml': '<manifest><file-entry/></manifest>',
  });
  assert.deepEqual([title, text], ['T', 'a']);
});

test('an .odt file without content is invalid, and an encrypted one is not read', async () => {
  const parts = new ZipParts(await zipOf({ 'meta.xml': '<m/>' }));
  assert.throws(() => readOdt(parts, new Gathered(gatheringOf())), /this OpenDocument file has no content part/);
  const manifest = '<manifest><file-entry><encryption-data/><algorithm/></file-entry></manifest>';
  await assert.rejects(read('<text:p>a</text:p>', { 'META-INF/manifest.xml': manifest }), /it is encrypted/);
});
