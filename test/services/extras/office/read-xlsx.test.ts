import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Gathered } from '../../../../services/extras/office/gathered.ts';
import { readXlsx } from '../../../../services/extras/office/read-xlsx.ts';
import { ZipParts } from '../../../../services/extras/office/zip-parts.ts';
import { gatheringOf } from './gathering.ts';
import { zipOf } from './office-files.ts';

interface Around {
  readonly strings?: string;
  readonly textCharsMax?: number;
  readonly parts?: Readonly<Record<string, string>>;
}

/** Of one sheet, S. */
async function read(rows: string, { strings = '', textCharsMax = 100_000, parts: more = {} }: Around = {}) {
  const gathered = new Gathered(gatheringOf({ textCharsMax }));
  const parts = {
    'xl/workbook.xml': '<workbook><sheet name="S" r:id="s"/><sheet name="gone" r:id="none"/></workbook>',
    'xl/_rels/workbook.xml.rels': '<r><Relationship Id="s" Target="sheets/s.xml"/></r>',
    'xl/sharedStrings.xml': `<sst>${strings}</sst>`,
    'xl/sheets/s.xml': `<worksheet>${rows}</worksheet>`,
    ...more,
  };
  readXlsx(new ZipParts(await zipOf(parts)), gathered);
  return gathered;
}

const cell = (text: string, type = '') => `<c${type === '' ? '' : ` t="${type}"`}><v>${text}</v></c>`;
const row = (...cells: string[]) => `<row>${cells.join('')}</row>`;

test('each cell of an .xlsx file has its own type', async () => {
  const strings = '<si><t>zero</t></si><si><t>one</t></si>';
  const { text } = await read(row(cell('1', 's'), cell('1'), cell('0', 's')), { strings });
  assert.equal(text, 'S\none\t1\tzero');
});

test('other content of an .xlsx cell, and its pronunciation, is no text', async () => {
  const strings = '<si>no<t>a</t>no<rPh><t>sound</t></rPh><r><t>b</t></r></si><si><t>next</t></si>';
  const { text } = await read(row(cell('0', 's'), cell('1', 's'), '<c>no<v>7</v>no<f>SUM(A1)</f></c>'), { strings });
  assert.equal(text, 'S\nab\tnext\t7');
});

test('an .xlsx cell has at most the text of two longest strings and the piece that exceeds it', async () => {
  for (const [before, more] of [
    [65_535, 'y'],
    [65_536, ''],
  ] as const) {
    const { text } = await read(row(`<c t="inlineStr"><is><t>${'x'.repeat(before)}</t><t>y</t></is></c>`));
    assert.equal(text, `S\n${'x'.repeat(before)}${more}`);
  }
});

test('shared strings beyond ten times the text limit keep their places without text', async () => {
  const of = (...texts: string[]) => texts.map((text) => `<si><t>${text}</t></si>`).join('');
  const cells = row(cell('1', 's'), cell('2', 's'));
  const textCharsMax = 10;
  assert.equal((await read(cells, { strings: of('x'.repeat(99), 'b', 'c'), textCharsMax })).text, 'S\nb\tc');
  assert.equal((await read(cells, { strings: of('x'.repeat(100), 'b', 'c'), textCharsMax })).text, 'S\nb');
  assert.equal((await read(cells, { strings: of('x'.repeat(101), 'b', 'c'), textCharsMax })).text, 'S');
});

test('external relations of a sheet are links', async () => {
  const { links } = await read('<hyperlink r:id="a"/><hyperlink r:id="b"/><hyperlink r:id="c"/><drawing r:id="d"/>', {
    parts: {
      'xl/sheets/_rels/s.xml.rels':
        '<r><Relationship Id="a" Target="http://a.test/in"/><Relationship Id="b" TargetMode="External" Target="http://a.test/out"/><Relationship Id="d" TargetMode="External" Target="http://a.test/picture"/></r>',
    },
  });
  assert.deepEqual([...links], ['http://a.test/out']);
});

test('hidden sheets are skipped, and properties are read', async () => {
  const { text, title } = await read(row(cell('7')), {
    parts: {
      'xl/workbook.xml': '<w><sheet name="H" state="HIDDEN" r:id="s"/><sheet name="V" state="visible" r:id="s"/></w>',
      'docProps/core.xml': '<p><dc:title>T</dc:title></p>',
    },
  });
  assert.deepEqual([text, title], ['V\n7', 'T']);
});

test('an .xlsx file without a workbook is invalid', async () => {
  const parts = new ZipParts(await zipOf({ 'xl/sharedStrings.xml': '<sst/>' }));
  assert.throws(() => readXlsx(parts, new Gathered(gatheringOf())), /this XLSX file has no workbook part/);
});
