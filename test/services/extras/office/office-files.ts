/** Office files made part by part, also such as no program makes: by yazl, a library that is not ours. */
import { buffer } from 'node:stream/consumers';
import { ZipFile } from 'yazl';

export const officeTypes = {
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  odt: 'application/vnd.oasis.opendocument.text',
  epub: 'application/epub+zip',
} as const;

export async function zipOf(parts: Readonly<Record<string, string | Buffer>>, compress = true): Promise<Buffer> {
  const zip = new ZipFile();
  for (const [name, part] of Object.entries(parts)) zip.addBuffer(Buffer.from(part), name, { compress });
  zip.end();
  return buffer(zip.outputStream as never);
}

const word = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';

export function documentOf(text: string, before = ''): string {
  return `<?xml version="1.0"?>${before}<w:document ${word}><w:body><w:p><w:r><w:t>${text}</w:t></w:r></w:p></w:body></w:document>`;
}

/** A .docx file of one part that unpacks to so many bytes. */
export function bombOf(bytes: number): Promise<Buffer> {
  return zipOf({ 'word/document.xml': documentOf('a'.repeat(bytes)) });
}
