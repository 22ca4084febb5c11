/** PDFs in a parser thread. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PDFDocument, PDFName, PDFString, StandardFonts } from 'pdf-lib';
import { extension } from '../../../../services/extras/pdf/extension.ts';
import { createExtractor } from '../../../../services/fetcher/pages/extract.ts';

const page = {
  url: 'http://a.test/',
  robotsTags: [],
  productToken: 'crawlstream',
  linksMax: 10,
  byteBudget: 1_000,
};

async function pdfOf(pages: number): Promise<Uint8Array> {
  const pdf = await PDFDocument.create();
  const font = await pdf.embedFont(StandardFonts.Helvetica);
  for (let number = 1; number <= pages; number++) {
    const sheet = pdf.addPage();
    sheet.drawText(`Tide table ${number}\nlow water at noon`, { x: 50, y: 700, font, size: 12 });
    const action = { Type: 'Action', S: 'URI', URI: PDFString.of('http://a.test/from-pdf') };
    const link = pdf.context.obj({ Type: 'Annot', Subtype: 'Link', Rect: [50, 690, 200, 720], A: action });
    sheet.node.set(PDFName.of('Annots'), pdf.context.obj([pdf.context.register(link)]));
  }
  pdf.setTitle('Tides of the Harbor');
  return pdf.save();
}

test('a PDF gives its text, title and links; a malformed or cut one is lost alone', async (t) => {
  const [reader] = extension.readers!;
  const extractor = createExtractor();
  t.after(() => extractor.close());
  const options = { ...page, contentType: 'application/pdf', textCharsMax: 1_000 };
  const whole = await extractor.parseDocument(reader!, await pdfOf(2), options);
  assert.deepEqual(
    [whole?.parsed.text, whole?.parsed.title, whole?.parsed.links, whole?.parsed.complete],
    [
      'Tide table 1 low water at noon\nTide table 2 low water at noon',
      'Tides of the Harbor',
      ['http://a.test/from-pdf'],
      true,
    ],
  );
  assert.equal(await extractor.parseDocument(reader!, Buffer.from('%PDF-1.7 nothing'), options), null);
  const long = await extractor.parseDocument(reader!, await pdfOf(40), { ...options, textCharsMax: 100 });
  assert.deepEqual([long?.parsed.complete, long?.parsed.text.length, long?.parsed.links], [false, 100, []]);
});
