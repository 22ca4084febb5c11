/** Answers that are cheap to send and expensive to read: pages, PDFs, and links to names that no name server answers for. */
import { deflateSync, gzipSync } from 'node:zlib';
import { mix } from '../../lab/web/random.ts';

/** The same bytes are made once. */
export function once<T>(make: () => T): () => T {
  let made: { readonly it: T } | undefined;
  return () => (made ??= { it: make() }).it;
}

/** Small on the wire, and expensive to read. */
const costlyBodies: readonly (() => string)[] = [
  () => '<blockquote><p>a'.repeat(16_000),
  () => `<main><p>${'a '.repeat(500)}</p>${'<ul><li>a'.repeat(28_000)}`,
  () => '<table><tr><td>'.repeat(16_000),
  () => `<p>${'<b><i>a'.repeat(35_000)}`,
  () => `<p>${'a \n\t'.repeat(60_000)}`,
  () => `<script type="application/ld+json">${'['.repeat(240_000)}</script>`,
  () => '<script type="application/ld+json">[{}]</script>'.repeat(5_000),
  () => '<h1>a<h2>b'.repeat(25_000),
  () => '<div>'.repeat(300_000),
  () => `<p>${'&amp;'.repeat(400_000)}`,
  () => '<meta property="og:title" content="x">'.repeat(50_000),
  () => `<p ${Array.from({ length: 100_000 }, (_, n) => `a${n}=b`).join(' ')}>`,
].map((make) => once(make));

/** Compressed, with links to pages of the same host. */
const costlyGzip = costlyBodies.map((body) =>
  once(() => {
    const links = Array.from({ length: 30 }, (_, n) => `<a href="${'a'.repeat(n)}/">x</a>`);
    return gzipSync(links.join('') + body());
  }),
);

/** One of the costly pages, in gzip. */
export function costlyBody(n: number): Buffer {
  return costlyGzip[mix(n, 7) % costlyGzip.length]!();
}

/** A document of one page, the content of which unpacks to 256 MiB of text. */
const pdfBomb = once(() => {
  const content = deflateSync(Buffer.alloc(256 << 20, 'BT (a) Tj ET\n'), { level: 9 });
  return pdfOf(content);
});
const pdfOfWords = once(() => pdfOf(deflateSync(Buffer.from('BT /F 9 Tf (many words) Tj ET\n'.repeat(400_000)))));

function pdfOf(content: Buffer): Buffer {
  const parts = [
    Buffer.from(
      '%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n',
    ),
    Buffer.from(
      '3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Resources<</Font<</F 5 0 R>>>>/Contents 4 0 R>>endobj\n',
    ),
    Buffer.from('5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj\n'),
    Buffer.from(`4 0 obj<</Filter/FlateDecode/Length ${content.length}>>stream\n`),
    content,
    Buffer.from('\nendstream endobj\ntrailer<</Root 1 0 R>>\n%%EOF'),
  ];
  return Buffer.concat(parts);
}

/** `isBomb`: it unpacks to 256 MiB; otherwise to 12 MB of text. */
export function costlyPdf(isBomb: boolean): Buffer {
  return isBomb ? pdfBomb() : pdfOfWords();
}

/** 3,000 links to hosts of 900 domains. */
export function linksToDeadNames(path: string): string {
  const links = Array.from(
    { length: 3_000 },
    (_, n) => `<a href="http://h${n}.d${mix(n, path.length) % 900}.dead/">x</a>`,
  );
  return links.join('');
}
