/** Text of a PDF, up to a bound. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PDFDocument, PDFName, PDFString, StandardFonts } from 'pdf-lib';
import { read as readPdf } from '../../../../services/extras/pdf/pdf-document.ts';

async function pdfOf(...pages: readonly string[]): Promise<Uint8Array> {
  const document = await PDFDocument.create();
  const font = await document.embedFont(StandardFonts.Helvetica);
  for (const text of pages) document.addPage().drawText(text, { font, size: 12, x: 20, y: 300 });
  return document.save();
}

const options = {
  ...{ url: 'http://a.test/a.pdf', contentType: 'application/pdf', robotsTags: [], productToken: 'crawlstream' },
  ...{ linksMax: 10, textCharsMax: 100, byteBudget: 1_000_000, expired: () => false },
};

describe('the text of a PDF', () => {
  it('the text of a PDF is that of its pages, in order', async () => {
    const read = await readPdf(await pdfOf('first page', 'second page', 'third'), options);
    assert.deepEqual([read.text, read.complete], ['first page\nsecond page\nthird', true]);
  });

  it('the text of a PDF is read page by page up to the limit, each with a line end', async () => {
    const body = await pdfOf('12345', '12345', '12345');
    for (const [textCharsMax, text, complete] of [
      [6, '12345', false],
      [7, '12345\n1', false],
      [12, '12345\n12345', false],
      [13, '12345\n12345\n1', true],
      [18, '12345\n12345\n12345', true],
    ] as const) {
      const read = await readPdf(body, { ...options, textCharsMax });
      assert.deepEqual([read.text, read.complete], [text, complete], `${textCharsMax}`);
    }
  });

  it('the text of a PDF is empty if the time for the page is up', async () => {
    const { text, complete } = await readPdf(await pdfOf('12345'), { ...options, expired: () => true });
    assert.deepEqual([text, complete], ['', false]);
  });
});

/** Of one page, with a link to each URL. */
async function linking(...urls: readonly string[]): Promise<Uint8Array> {
  const document = await PDFDocument.create();
  const { node } = document.addPage();
  const annotations = urls.map((uri) =>
    document.context.register(
      document.context.obj({
        ...{ Type: 'Annot', Subtype: 'Link', Rect: [0, 0, 10, 10] },
        A: { Type: 'Action', S: 'URI', URI: PDFString.of(uri) },
      }),
    ),
  );
  node.set(PDFName.of('Annots'), document.context.obj(annotations));
  return document.save();
}

describe('the links of a PDF', () => {
  it('the links of a PDF are reported once each, up to a bound, with the number left out', async () => {
    const urls = ['http://a.test/1', 'http://a.test/2', 'http://a.test/1', 'mailto:me@a.test', 'http://a.test/3'];
    const body = await linking(...urls);
    const all = ['http://a.test/1', 'http://a.test/2', 'http://a.test/3'];
    for (const [linksMax, dropped] of [
      [4, 0],
      [3, 0],
      [2, 1],
      [1, 2],
    ] as const) {
      const { links, linksDropped } = await readPdf(body, { ...options, linksMax });
      assert.deepEqual([links, linksDropped], [all.slice(0, linksMax), dropped], `${linksMax}`);
    }
  });

  it('the links of a nofollow PDF are empty', async () => {
    const { links } = await readPdf(await linking('http://a.test/1'), { ...options, robotsTags: ['nofollow'] });
    assert.deepEqual(links, []);
  });
});
