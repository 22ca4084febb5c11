/**
 * Ingests at full speed until it is killed: links into the log, an owner that decides them, grants and takes nothing
 * back. Arguments: folder, number of the write to the state store in whose midst it kills itself (0: never).
 */
import { writeSync } from 'node:fs';
import { PartitionOwner } from '../../../services/frontier/own/partition-owner.ts';
import type { StateStore } from '../../../services/runtime/store/store.ts';
import { clock, identity, key, openIngestFolder, seen } from './ingest-folder.ts';
import { linksOf } from './ingest-links.ts';

const [folder = '', killAt = '0'] = process.argv.slice(2);
const { log, store, codec } = await openIngestFolder(folder);
const topic = 'ingest.discovered';
/** Messages that may wait in the log. */
const aheadMax = 40;

function killedAt(number: number): StateStore {
  let writes = 0;
  return {
    ...store,
    write: (ops, options) => {
      const written = store.write(ops, options);
      writes += 1;
      if (writes === number) process.kill(process.pid, 'SIGKILL');
      return written;
    },
  };
}

const owner = new PartitionOwner({
  log,
  codec,
  clock,
  store: killedAt(Number(killAt)),
  identity,
  key,
  seen,
  endsLeases: true,
  leasesMax: 50,
  saveEveryBytes: 256 * 1024,
});
owner.run().catch((error) => {
  throw error;
});
let isOpen = false;
for (let { end } = await log.offsets(topic, 0); ; ) {
  const decided = owner.committed?.positions.discovered.offset;
  if (decided !== undefined && !isOpen) {
    isOpen = true;
    writeSync(1, 'open\n');
  }
  if (decided === undefined || end - decided > aheadMax) {
    await new Promise((resolve) => setTimeout(resolve, 1));
    continue;
  }
  const records = Array.from({ length: 10 }, (_, i) => {
    const value = codec.encode('discovered', linksOf(end + i));
    return { topic, partition: 0, key: null, value };
  });
  await log.append(records);
  end += records.length;
}
