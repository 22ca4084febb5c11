/** What a state folder keeps of URLs that have ended. */
import { openStateStore } from '../../../../services/runtime/store/open-store.ts';
import { readUrlRecord } from '../../../../topology/frontier/changes/url-record-bytes.ts';
import { ByteReader } from '../../../../topology/frontier/storage/bytes.ts';

/** Status and outcome by URL. */
export async function readUrlRecords(folder: string): Promise<Map<string, string>> {
  const store = await openStateStore(folder, { readOnly: true });
  try {
    const records: [string, string][] = [];
    for await (const [, value] of store.scan({ gte: Buffer.from('u'), lt: Buffer.from('v') })) {
      const { url, status, outcome, httpStatus } = readUrlRecord(new ByteReader(value));
      records.push([url, `${status} ${outcome} ${httpStatus}`]);
    }
    return new Map(records.sort());
  } finally {
    await store.close();
  }
}
