import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Gathered } from '../../../../../services/fetcher/pages/office/gathered.ts';
import { readEpub } from '../../../../../services/fetcher/pages/office/read-epub.ts';
import { ZipParts } from '../../../../../services/fetcher/pages/office/zip-parts.ts';
import type { ParseOptions } from '../../../../../topology/parse/page.ts';
import { zipOf } from '../office-files.ts';
import { gatheringOf } from './gathering.ts';

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

test('chapters are read in the order of the spine, each once; what is no page, or not there, is passed over', async () => {
  const book = `<dc:title>T</dc:title>${two}${item('3', 'c.css', 'text/css')}${item('4', 'gone.xhtml')}${spine('2', '3', '4', 'none', '1', '2')}`;
  const { text, title, links, isCut } = await read(book, {
    'b/one.xhtml': '<p>one</p><p>more <a href="two.xhtml">in</a> <a href="http://a.test/out">out</a></p>',
    'b/two.xhtml': '<p>two</p>',
    'b/c.css': '<p>style</p>',
  });
  assert.deepEqual([text, title, isCut], ['two\none more in out', 'T', false]);
  assert.deepEqual([...links], ['http://a.test/out']);
});

test('chapters that are encrypted are passed over, and a book of no other is not read', async () => {
  const encryption = '<e><DataReference URI="b/two.xhtml"/><CipherReference URI="b/one.xhtml"/></e>';
  const parts = { 'b/one.xhtml': 'xx', 'b/two.xhtml': '<p>two</p>', 'META-INF/encryption.xml': encryption };
  assert.equal((await read(`${two}${spine('1', '2')}`, parts)).text, 'two');
  await assert.rejects(read(`${two}${spine('1')}`, parts), /no chapter that can be read/);
  await assert.rejects(read(two, parts), /no chapter that can be read/);
});

test('it ends where its text is full or its time is up, and says so', async () => {
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
    if (typeof late === 'string') assert.match(late, /names no package|no chapter/, `${looks}`);
    else assert.equal(late.isCut, late.text !== '0123456789\ntwo' || left < 0, `${looks}: ${late.text}`);
  }
});

test('a file that names no package, or one that is not there, is no book', async () => {
  for (const named of ['<container/>', '<container><rootfile full-path="no.opf"/></container>'])
    await assert.rejects(read('', { 'META-INF/container.xml': named }), /it names no package/);
});
