/** Text of a PDF, up to a bound. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PDFDocument, StandardFonts } from 'pdf-lib';
import { readPdf } from '../../../../services/fetcher/pages/pdf.ts';

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
  it('is that of its pages, one after another', async () => {
    const read = await readPdf(await pdfOf('first page', 'second page', 'third'), options);
    assert.deepEqual([read.text, read.complete], ['first page\nsecond page\nthird', true]);
  });

  it('is read page by page until there is enough, each with the line’s end behind it', async () => {
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

  it('is none where the time for the page is up', async () => {
    const { text, complete } = await readPdf(await pdfOf('12345'), { ...options, expired: () => true });
    assert.deepEqual([text, complete], ['', false]);
  });
});
