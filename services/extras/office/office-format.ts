/** Office files and books by their media types, as registered with IANA. */
export type OfficeFormat = 'docx' | 'xlsx' | 'odt' | 'epub';

const formats: ReadonlyMap<string, OfficeFormat> = new Map([
  ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'docx'],
  ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'xlsx'],
  ['application/vnd.oasis.opendocument.text', 'odt'],
  ['application/epub+zip', 'epub'],
]);

export const officeTypes: readonly string[] = [...formats.keys()];

/** Null: not a supported format. */
export function officeFormatOf(contentType: string): OfficeFormat | null {
  return formats.get(contentType.split(';')[0]!.trim().toLowerCase()) ?? null;
}
