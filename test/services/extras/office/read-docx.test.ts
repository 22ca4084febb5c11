import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Gathered } from '../../../../services/extras/office/gathered.ts';
import { readDocx } from '../../../../services/extras/office/read-docx.ts';
import { ZipParts } from '../../../../services/extras/office/zip-parts.ts';
import { gatheringOf } from './gathering.ts';
import { documentOf, zipOf } from './office-files.ts';

async function read(paragraphs: string, more: Readonly<Record<string, string>> = {}): Promise<Gathered> {
  const gathered = new Gathered(gatheringOf());
  const parts = { 'word/document.xml': `<w:document>${paragraphs}</w:document>`, ...more };
  readDocx(new ZipParts(await zipOf(parts)), gathered);
  return gathered;
}

test('a paragraph of a .docx file is a line of its texts, with blanks for tabs and breaks', async () => {
  const runs = '<w:t>a</w:t>no<w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t>no<w:cr/><w:t>d</w:t>';
  const { text } = await read(`<w:p>${runs}</w:p>no<w:p><w:t>e</w:t></w:p><w:p/>`);
  assert.equal(text, 'a b c d\ne');
});

test('notes of a .docx file come after the document, and its properties are read', async () => {
  const { text, title } = await read('<w:p><w:t>main</w:t></w:p>', {
    'word/endnotes.xml': documentOf('end'),
    'word/footnotes.xml': documentOf('foot'),
    'docProps/core.xml': '<p><dc:title>T</dc:title></p>',
  });
  assert.deepEqual([text, title], ['main\nfoot\nend', 'T']);
});

test('fields of a .docx file give links, whole or in pieces', async () => {
  const field = (text: string) => `<w:instrText>${text}</w:instrText>`;
  const { links, text } = await read(
    [
      `<w:p>${field('HYPER')}${field('LINK  "http://a.test/1" \\o "x" hyperlink "http://a.test/2"')}<w:t>shown</w:t></w:p>`,
      '<w:p><w:fldSimple w:instr="HYPERLINK &quot;http://a.test/3&quot;"><w:t>simple</w:t></w:fldSimple></w:p>',
      `<w:p>${field('PAGE')}</w:p><w:p>HYPERLINK "http://a.test/none"</w:p>`,
      '<w:p>HYPERLINK "http://a.test/none"</w:p>',
    ].join(''),
  );
  assert.deepEqual([...links], ['http://a.test/1', 'http://a.test/2', 'http://a.test/3']);
  assert.equal(text, 'shown\nsimple');
});

test('a field instruction of a .docx file has at most ten thousand characters and the piece that exceeds them', async () => {
  for (const [before, count] of [
    [9_999, 1],
    [10_000, 0],
  ] as const) {
    const field = `<w:instrText>${' '.repeat(before)}</w:instrText><w:instrText> HYPERLINK "http://a.test/"</w:instrText>`;
    assert.equal((await read(`<w:p>${field}</w:p>`)).links.size, count, `${before}`);
  }
});

test('relations of a .docx file to its own parts are no links', async () => {
  const to = (id: string) => `<w:hyperlink r:id="${id}"><w:t>x</w:t></w:hyperlink>`;
  const { links } = await read(`<w:p>${to('r1')}${to('r2')}${to('r3')}<a:blip r:id="r4"/></w:p>`, {
    'word/_rels/document.xml.rels':
      '<r><Relationship Id="r1" Target="http://a.test/inner"/><Relationship Id="r2" TargetMode="External" Target="http://a.test/outer"/><Relationship Id="r4" TargetMode="External" Target="http://a.test/picture"/></r>',
  });
  assert.deepEqual([...links], ['http://a.test/outer']);
});

test('a .docx file without a document part is invalid', async () => {
  const parts = new ZipParts(await zipOf({ 'word/footnotes.xml': documentOf('foot') }));
  assert.throws(() => readDocx(parts, new Gathered(gatheringOf())), /this DOCX file has no document part/);
});
