import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { extension } from '../../../../services/extras/office/extension.ts';
import { read as readOffice } from '../../../../services/extras/office/office-document.ts';
import { officeLimits } from '../../../../services/extras/office/office-limits.ts';
import { createExtractor } from '../../../../services/fetcher/pages/extract.ts';
import { bombOf, documentOf, officeTypes, zipOf } from './office-files.ts';

const page = {
  url: 'http://a.test/files/x',
  robotsTags: [] as string[],
  productToken: 'crawlstream',
  linksMax: 10,
  textCharsMax: 1_000,
  byteBudget: 1e9,
};

function read(
  format: keyof typeof officeTypes,
  body: Uint8Array,
  more: Partial<Parameters<typeof readOffice>[1]> = {},
) {
  return readOffice(body, { ...page, contentType: officeTypes[format], expired: () => false, ...more });
}

const rels = (...targets: string[]) =>
  `<Relationships>${targets.map((target, n) => `<Relationship Id="r${n}" Type="x/hyperlink" TargetMode="External" Target="${target}"/>`).join('')}</Relationships>`;

describe('an office file', () => {
  it('an office file gives web links from fields and relations only', async () => {
    const links = [0, 1, 2].map((n) => `<w:hyperlink r:id="r${n}"><w:r><w:t>x</w:t></w:r></w:hyperlink>`).join('');
    const field = '<w:instrText> HYPERLINK </w:instrText><w:instrText>"http://a.test/field" </w:instrText>';
    const body = await zipOf({
      'word/document.xml': `<w:document><w:p>${links}</w:p><w:p>${field}<w:t>y</w:t></w:p></w:document>`,
      'word/_rels/document.xml.rels': rels('http://b.test/#top', 'file:///etc/passwd', '../../etc/passwd'),
    });
    assert.deepEqual(read('docx', body).links, ['http://b.test/', 'http://a.test/field']);
    assert.deepEqual(read('docx', body, { robotsTags: ['nofollow'] }).links, []);
    assert.deepEqual([read('docx', body, { linksMax: 1 }).linksDropped], [1]);
  });

  it('an office file gives the text of numbered and inline cells, without pronunciation, hidden sheets and formulas', async () => {
    const body = await zipOf({
      'xl/workbook.xml':
        '<workbook><sheets><sheet name="A" r:id="s1"/><sheet name="B" state="veryHidden" r:id="s2"/></sheets></workbook>',
      'xl/_rels/workbook.xml.rels':
        '<Relationships><Relationship Id="s1" Type="t/worksheet" Target="/xl/worksheets/one.xml"/><Relationship Id="s2" Type="t/worksheet" Target="worksheets/two.xml"/></Relationships>',
      'xl/sharedStrings.xml':
        '<sst><si><t>zero</t></si><si><r><t>o</t></r><r><t>ne</t></r><rPh><t>wan</t></rPh></si></sst>',
      'xl/worksheets/one.xml':
        '<worksheet><row><c t="s"><v>1</v></c><c t="inlineStr"><is><t>in</t></is></c><c><f>SUM(A1)</f><v>7</v></c></row><row><c t="s"><v>99</v></c><c t="s"><v>0</v></c></row></worksheet>',
      'xl/worksheets/two.xml': '<worksheet><row><c><v>secret</v></c></row></worksheet>',
    });
    assert.equal(read('xlsx', body).text, 'A\none\tin\t7\nzero');
  });

  it('an .odt file gives the visible text, without deletions and notes', async () => {
    const body = await zipOf({
      'content.xml':
        '<office:document-content><text:tracked-changes><text:p>gone</text:p></text:tracked-changes><text:p>a<text:s/>b<office:annotation><text:p>note</text:p></office:annotation>c</text:p></office:document-content>',
    });
    assert.equal(read('odt', body).text, 'a bc');
  });

  it('an office file is cut at the text limit, and says so', async () => {
    const paragraphs = Array.from({ length: 200 }, (_, n) => `<w:p><w:t>paragraph ${n}</w:t></w:p>`).join('');
    const body = await zipOf({ 'word/document.xml': `<w:document>${paragraphs}</w:document>` });
    const { text, complete } = read('docx', body);
    assert.deepEqual([text.length, complete], [1_000, false]);
    assert.equal(read('docx', body, { expired: () => true }).complete, false);
  });
});

describe('a hostile office file', () => {
  it('a hostile office file that unpacks beyond its limit is lost, also with small parts or duplicate names', async () => {
    assert.throws(() => read('docx', Buffer.alloc(0)), /not a ZIP/);
    const bomb = await bombOf(officeLimits.officeBytesMax + 1);
    assert.ok(bomb.length < 200_000);
    assert.throws(() => read('docx', bomb), /larger than/);
    const half = Buffer.from(documentOf('b'.repeat(officeLimits.officeBytesMax / 2)));
    const many = await zipOf({ 'word/document.xml': half, 'word/footnotes.xml': half, 'word/endnotes.xml': half });
    assert.throws(() => read('docx', many), /larger than/);
  });

  it('a hostile office file expands no entity, internal or external', async () => {
    const entities = Array.from({ length: 30 }, (_, n) => `<!ENTITY e${n + 1} "&e${n};&e${n};">`).join('');
    const dtd = `<!DOCTYPE d [<!ENTITY e0 "boom"><!ENTITY f SYSTEM "file:///etc/passwd">${entities}]>`;
    const body = await zipOf({ 'word/document.xml': documentOf('a &e30; &f; &amp; z', dtd) });
    const { text } = read('docx', body);
    assert.match(text, /^a .*& z$/);
    assert.doesNotMatch(text, /boom|root:/);
  });

  it('a hostile office file with path names or nested archives opens neither', async () => {
    const inner = await zipOf({ 'word/document.xml': documentOf('inner') });
    const body = await zipOf({ 'word/document.xml': documentOf('outer'), 'word/embeddings/inner.docx': inner });
    assert.equal(read('docx', body).text, 'outer');
    const book = await zipOf({
      'META-INF/container.xml': '<container><rootfile full-path="a/b.opf"/></container>',
      'a/b.opf':
        '<package><item id="1" media-type="application/xhtml+xml" href="../../../../etc/passwd"/><item id="2" media-type="application/xhtml+xml" href="c%20d.xhtml"/><itemref idref="1"/><itemref idref="2"/><itemref idref="2"/></package>',
      'a/c d.xhtml': '<p>once <a href="/x">inside</a> <a href="http://b.test/y">out</a>',
    });
    const { text, links } = read('epub', book);
    assert.deepEqual([text, links], ['once inside out', ['http://b.test/y']]);
  });

  it('an office file that is encrypted, cut or damaged is lost or read in part, and throws nothing else', async () => {
    const body = await zipOf({ 'word/document.xml': documentOf('some text that is here') });
    assert.throws(() => read('docx', body.subarray(0, body.length - 30)), /not a ZIP/);
    const listAt = body.indexOf(Buffer.from([0x50, 0x4b, 1, 2]));
    const encrypted = Buffer.from(body);
    encrypted[listAt + 8]! |= 1;
    assert.throws(() => read('docx', encrypted), /encrypted/);
    const odt = await zipOf({
      'content.xml': 'xx',
      'META-INF/manifest.xml': '<manifest><file-entry><encryption-data/></file-entry></manifest>',
    });
    assert.throws(() => read('odt', odt), /encrypted/);
    for (let at = 0; at < body.length; at++) {
      const spoilt = Buffer.from(body);
      spoilt[at]! ^= 0xff;
      try {
        assert.ok(read('docx', spoilt).text.length < 1_000);
      } catch (error) {
        assert.ok(error instanceof Error && !(error instanceof assert.AssertionError), `${at}: ${error}`);
      }
    }
  });

  it('an office file with too many parts is read by its first ones', async () => {
    const parts: Record<string, string> = { 'word/document.xml': documentOf('first') };
    for (let n = 0; n < officeLimits.officePartsMax + 5; n++) parts[`x/${n}`] = '';
    parts['word/footnotes.xml'] = documentOf('last');
    assert.equal(read('docx', await zipOf(parts, false)).text, 'first');
  });
});

test('office files are parsed in the worker, and a bomb costs only itself', { timeout: 120_000 }, async (t) => {
  const [reader] = extension.readers!;
  const extractor = createExtractor();
  t.after(() => extractor.close());
  const options = { ...page, contentType: `${officeTypes.docx}; charset=binary` };
  const good = await zipOf({ 'word/document.xml': documentOf('good') });
  const [bomb, whole] = await Promise.all([
    extractor.parseDocument(reader!, await bombOf(4 * officeLimits.officeBytesMax), options),
    extractor.parseDocument(reader!, good, options),
  ]);
  assert.equal(bomb, null);
  assert.equal(whole?.parsed.text, 'good');
});
