import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Gathered } from '../../../../services/extras/office/gathered.ts';
import { partNamed, relationsOf } from '../../../../services/extras/office/relations.ts';
import { ZipParts } from '../../../../services/extras/office/zip-parts.ts';
import { gatheringOf } from './gathering.ts';
import { zipOf } from './office-files.ts';

test('a part’s path is relative to the part that names it, and never leaves the file', () => {
  const names = [
    ['sheets/one.xml', 'xl/workbook.xml', 'xl/sheets/one.xml'],
    ['../one.xml', 'a/b/c.xml', 'a/one.xml'],
    ['../../../../one.xml', 'a/b.xml', 'one.xml'],
    ['/xl/one.xml', 'word/document.xml', 'xl/one.xml'],
    ['c%20d.xml', 'a b/c.xml', 'a b/c d.xml'],
    ['one.xml#top', '', 'one.xml'],
    ['http://parts.invalid/one.xml', 'a/b.xml', 'one.xml'],
    ['http://elsewhere.test/one.xml', 'a/b.xml', ''],
    ['//elsewhere.test/one.xml', 'a/b.xml', ''],
    ['%zz.xml', 'a/b.xml', ''],
    ['http://[', 'a/b.xml', ''],
  ] as const;
  for (const [reference, from, name] of names) assert.equal(partNamed(reference, from), name, `${reference} ${from}`);
});

test('relations of a part are found by their ids, in a folder or at the top', async () => {
  const one = (more: string) => `<Relationships><other Id="no" Target="x"/><Relationship ${more}/></Relationships>`;
  const parts = new ZipParts(
    await zipOf({
      'a/_rels/b.xml.rels': one('Id="r1" Type="http://x/y/image" Target="media/1.png"'),
      '_rels/c.xml.rels': one('Id="r2" Type="hyperlink" TargetMode="EXTERNAL" Target="../as/written"'),
    }),
  );
  const of = (part: string) => [...relationsOf(parts, part, new Gathered(gatheringOf()))];
  assert.deepEqual(of('a/b.xml'), [['r1', { type: 'image', target: 'a/media/1.png', isExternal: false }]]);
  assert.deepEqual(of('c.xml'), [['r2', { type: 'hyperlink', target: '../as/written', isExternal: true }]]);
  assert.deepEqual(of('b.xml'), []);
});
