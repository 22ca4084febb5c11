/**
 * A folder of WARC files. After a power cut, each record that the store's position covers is in a file once, at the
 * place that the index names.
 */
import { openWarcFolder } from '../../services/extras/archive/warc-folder.ts';
import type { Disk } from '../../services/runtime/disk/disk.ts';
import type { StateStore } from '../../services/runtime/store/store.ts';
import { attack, attackDisk, type Exploration } from './explore.ts';
import { PowerDisk } from './power-disk.ts';
import { PowerStore } from './power-store.ts';

const folder = '/data/archive';
const positionKey = Buffer.from('P');
const recordOf = (number: number) => Buffer.from(`<${number} ${'y'.repeat((number * 13) % 50)}>`);
const fileBytes = 200;

export async function exploreArchive(
  seed: number,
  around: (disk: Disk) => Disk = (disk) => disk,
): Promise<Exploration> {
  const it = attack('archive', seed, 250);
  const { random } = it;
  const disk = new PowerDisk([
    ['/', null],
    ['/data', null],
  ]);
  const store = new PowerStore();
  let acked = 0;
  const onStep = it.onStep((how) => {
    const [cutDisk, cutStore, atLeast] = [disk.cut(random, how), store.cut(random, how), acked];
    return () => check(cutDisk, cutStore.open(), atLeast);
  });
  attackDisk(disk, it, onStep);
  Object.assign(store, { plan: it.plan, onStep });

  for (let process = 0; process < 4; process++) {
    try {
      const handle = store.open();
      const warcs = await openWarcFolder(folder, handle, around(disk));
      let next = await positionOf(handle);
      for (let batch = 0; batch < 5; batch++) {
        for (let n = 1 + random.below(4); n > 0; n--) {
          if (warcs.file === null) warcs.begin(`f${`${next}`.padStart(5, '0')}`);
          const [at, record] = [warcs.bytes, recordOf(next)];
          const parts = [record.subarray(0, 3), record.subarray(3)];
          if (random.below(4) > 0) warcs.append(record);
          else
            await warcs.appendAll(
              (async function* () {
                yield* parts;
              })(),
            );
          warcs.index(`${`${next}`.padStart(5, '0')} {"at":${at},"bytes":${record.length}}`);
          next += 1;
          if (warcs.bytes < fileBytes) continue;
          await warcs.finish([positionRow(next)]);
          acked = next;
        }
        await warcs.checkpoint([positionRow(next)]);
        acked = next;
      }
    } catch {
      // The process ends, and the next one goes on.
    }
  }
  it.calm();
  return it.check();
}

function positionRow(next: number) {
  return { key: positionKey, value: Buffer.from(`${next}`) };
}

async function positionOf(store: StateStore): Promise<number> {
  return Number((await store.get(positionKey)) ?? 0);
}

async function check(disk: PowerDisk, store: StateStore, atLeast: number): Promise<void> {
  const warcs = await openWarcFolder(folder, store, disk);
  const position = await positionOf(store);
  if (position < atLeast) throw new Error(`the position went back from ${atLeast} to ${position}`);
  await warcs.finish([]);
  let next = 0;
  for (const name of await warcs.files()) {
    const bytes = await disk.readFile(`${folder}/${name}.warc.gz`);
    const lines = (await disk.readFile(`${folder}/${name}.cdxj`)).toString().split('\n').slice(0, -1);
    let end = 0;
    for (const line of lines) {
      const place = JSON.parse(line.slice(line.indexOf('{'))) as { at: number; bytes: number };
      const found = bytes.subarray(place.at, place.at + place.bytes).toString();
      if (found !== recordOf(next).toString()) throw new Error(`${name} has ${found} in the place of record ${next}`);
      end = place.at + place.bytes;
      next += 1;
    }
    if (end !== bytes.length) throw new Error(`${name} has ${bytes.length} bytes, and records end at ${end}`);
  }
  if (next !== position) throw new Error(`there are ${next} records, and the position is ${position}`);
}
