import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Gathered } from '../../../../services/extras/office/gathered.ts';
import { readEpub } from '../../../../services/extras/office/read-epub.ts';
import { ZipParts } from '../../../../services/extras/office/zip-parts.ts';
import type { ParseOptions } from '../../../../topology/parse/page.ts';
import { gatheringOf } from './gathering.ts';
import { zipOf } from './office-files.ts';

const container =
  '<container><other full-path="x.opf"/><rootfile full-path="b/book.opf"/><rootfile full-path="no.opf"/></container>';
const item = (id: string, href: string, type = 'application/xhtml+xml') =>
  `<item id="${id}" media-type="${type}" href="${href}"/>`;
const spine = (...ids: string[]) => ids.map((id) => `<itemref idref="${id}"/>`).join('');

async function read(
  book: string,
  parts: Readonly<Record<string, string>>,
  options: Partial<ParseOptions> = {},
): Promise<Gathered> {
  const gathered = new Gathered(gatheringOf(options));
  const file = { 'META-INF/container.xml': container, 'b/book.opf': `<package>${book}</package>`, ...parts };
  readEpub(new ZipParts(await zipOf(file)), gathered);
  return gathered;
}

const two = `${item('1', 'one.xhtml')}${item('2', 'two.xhtml')}`;

test('chapters of an .epub are read in spine order, each once; other or missing files are skipped', async () => {
  const book = `<dc:title>T</dc:title>${two}${item('3', 'c.css', 'text/css')}${item('4', 'gone.xhtml')}${spine('2', '3', '4', 'none', '1', '2')}`;
  const { text, title, links, isCut } = await read(book, {
    'b/one.xhtml': '<p>one</p><p>more <a href="two.xhtml">in</a> <a href="http://a.test/out">out</a></p>',
    'b/two.xhtml': '<p>two</p>',
    'b/c.css': '<p>style</p>',
  });
  assert.deepEqual([text, title, isCut], ['two\none more in out', 'T', false]);
  assert.deepEqual([...links], ['http://a.test/out']);
});

test('encrypted chapters are skipped, and a book with nothing else is not read', async () => {
  const encryption = '<e><DataReference URI="b/two.xhtml"/><CipherReference URI="b/one.xhtml"/></e>';
  const parts = { 'b/one.xhtml': 'xx', 'b/two.xhtml': '<p>two</p>', 'META-INF/encryption.xml': encryption };
  assert.equal((await read(`${two}${spine('1', '2')}`, parts)).text, 'two');
  await assert.rejects(read(`${two}${spine('1')}`, parts), /this EPUB has no readable chapter/);
  await assert.rejects(read(two, parts), /this EPUB has no readable chapter/);
});

test('an .epub ends at its text limit or time limit, and says so', async () => {
  const parts = { 'b/one.xhtml': '<p>0123456789</p>', 'b/two.xhtml': '<p>two</p>' };
  const book = `${two}${spine('1', '2')}`;
  const full = await read(book, parts, { textCharsMax: 10 });
  assert.deepEqual([full.text, full.isCut], ['0123456789', true]);
  const room = await read(book, parts, { textCharsMax: 11 });
  assert.deepEqual([room.text, room.isCut], ['0123456789\ntwo', false]);
  // All of its own parts are read by then: container, package twice, and the first chapter.
  for (let looks = 0; looks < 30; looks++) {
    let left = looks;
    const late = await read(book, parts, { expired: () => left-- <= 0 }).catch((error: Error) => error.message);
    if (typeof late === 'string') assert.match(late, /no package document|no readable chapter/, `${looks}`);
    else assert.equal(late.isCut, late.text !== '0123456789\ntwo' || left < 0, `${looks}: ${late.text}`);
  }
});

test('an .epub without a package file is invalid', async () => {
  for (const named of ['<container/>', '<container><rootfile full-path="no.opf"/></container>'])
    await assert.rejects(read('', { 'META-INF/container.xml': named }), /this EPUB has no package document/);
});
