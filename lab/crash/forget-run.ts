/**
 * Files of an archive that are replaced together. After a power cut all files are of one version: the store's version,
 * and not older than what was acknowledged.
 */
import { finishReplacing, replaceFiles, rewrittenSuffix } from '../../services/extras/archive/replaced-files.ts';
import type { Disk } from '../../services/runtime/disk/disk.ts';
import { makeFolder, putFile, writeSynced } from '../../services/runtime/disk/durable-names.ts';
import { attack, attackDisk, type Exploration } from './explore.ts';
import { PowerDisk } from './power-disk.ts';
import { PowerStore } from './power-store.ts';

const folder = '/data/archive';
const files = ['a.warc.gz', 'a.cdxj', 'b.warc.gz', 'b.cdxj'];
const versionKey = Buffer.from('version');
const textOf = (name: string, version: number) => `${version} ${name} ${'f'.repeat(30 + version)}`;

export async function exploreForget(seed: number, around: (disk: Disk) => Disk = (disk) => disk): Promise<Exploration> {
  const it = attack('forget', seed, 150);
  const { random } = it;
  const disk = new PowerDisk([
    ['/', null],
    ['/data', null],
  ]);
  const store = new PowerStore();
  for (const name of files) {
    await makeFolder(folder, 0o700, disk);
    await putFile(`${folder}/${name}`, textOf(name, 0), {}, disk);
  }
  let acked = 0;
  const onStep = it.onStep((how) => {
    const [cutDisk, cutStore, atLeast] = [disk.cut(random, how), store.cut(random, how), acked];
    return () => check(cutDisk, cutStore, atLeast);
  });
  attackDisk(disk, it, onStep);
  Object.assign(store, { plan: it.plan, onStep });

  const port = around(disk);
  for (let round = 0; round < 5; round++)
    try {
      const handle = store.open();
      await finishReplacing(folder, handle, port);
      const version = Number((await handle.get(versionKey)) ?? 0) + 1;
      for (const name of files)
        await writeSynced(`${folder}/${name}${rewrittenSuffix}`, textOf(name, version), undefined, port);
      const ops = [{ key: versionKey, value: Buffer.from(`${version}`) }];
      await replaceFiles(folder, handle, files, ops, port);
      acked = version;
    } catch {
      // The process ends, and the next one goes on.
    }
  it.calm();
  return it.check();
}

async function check(disk: PowerDisk, power: PowerStore, atLeast: number): Promise<void> {
  const store = power.open();
  await finishReplacing(folder, store, disk);
  const version = Number((await store.get(versionKey)) ?? 0);
  if (version < atLeast) throw new Error(`version ${version} after ${atLeast} was acknowledged`);
  for (const name of files) {
    const text = (await disk.readFile(`${folder}/${name}`)).toString();
    if (text !== textOf(name, version)) throw new Error(`${name} has "${text}", and the store has version ${version}`);
  }
  const left = (await disk.readdir(folder)).filter((name) => !files.includes(name));
  if (left.length > 0) throw new Error(`${left} are left`);
}
