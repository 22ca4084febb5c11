/** The files that a fleet serves of a crawl: pages as Parquet, responses as WARC. */

import { readPurges } from '../../../runtime/crawl/purges.ts';
import { parquetBytes } from '../../../runtime/table/parquet-writer.ts';
import { productVersion } from '../../../runtime/version.ts';
import { warcOf } from '../../archive/warc-stream.ts';
import { pagesTable } from '../../export/pages-table.ts';
import type { Output } from '../outputs/output.ts';

export const fleetOutputs: readonly Output[] = [
  {
    file: 'pages.parquet',
    type: 'application/vnd.apache.parquet',
    about:
      'Its pages as Parquet: the newest record of each, in the order of their URLs, with the columns of `export pages`.',
    async *bytes({ log, codec, crawl }, folder) {
      const purges = await readPurges(log, codec, { crawl, partitions: 1 });
      yield* parquetBytes(pagesTable({ log, codec, crawl, partitions: 1, purges }, folder, () => {}));
    },
  },
  {
    file: 'archive.warc.gz',
    type: 'application/warc',
    about:
      'Requests and responses of its pages as WARC 1.1, in the order of fetching. 404 unless it was made with `output.warc`.',
    refusal: ({ name, output }) =>
      output.warc === true
        ? null
        : `${name} has no stored responses: for an archive, create a crawl with "output": {"warc": true}`,
    bytes: (reads) => warcOf(reads, { version: productVersion }),
  },
];
