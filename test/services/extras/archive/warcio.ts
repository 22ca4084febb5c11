/** WARC files as PyPI's warcio reads them: each record's fields and block; and its own check of every digest. */
import { pythonSkipReason, runPython } from '../../../kafka/python.ts';

export const warcioMissing = (await pythonSkipReason()) ?? false;

export interface WarcioRecord {
  readonly type: string;
  readonly url: string;
  readonly fields: readonly (readonly [name: string, value: string])[];
  readonly block: Buffer;
}

const reading = `
import base64, json, sys
from warcio.archiveiterator import ArchiveIterator
for path in sys.argv[1:]:
    with open(path, 'rb') as file:
        for record in ArchiveIterator(file, no_record_parse=True):
            print(json.dumps({'type': record.rec_type, 'url': record.rec_headers.get_header('WARC-Target-URI') or '',
                'fields': record.rec_headers.headers, 'block': base64.b64encode(record.raw_stream.read()).decode()}))
`;

export async function readByWarcio(files: readonly string[]): Promise<WarcioRecord[]> {
  const lines = (await runPython(reading, files)).split('\n').filter((line) => line !== '');
  return lines.map((line) => {
    const { block, ...rest } = JSON.parse(line) as WarcioRecord & { readonly block: string };
    return { ...rest, block: Buffer.from(block, 'base64') };
  });
}

/** As `warcio check` does. Rejects with what it says where a digest is wrong. */
export async function checkByWarcio(files: readonly string[]): Promise<void> {
  await runPython("import sys; from warcio.cli import main; main(['check', '-v'] + sys.argv[1:])", files);
}

export function fieldsOf({ fields }: WarcioRecord, name: string): string[] {
  return fields.filter(([one]) => one === name).map(([, value]) => value);
}
