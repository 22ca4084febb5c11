/**
 * Files that are put, created and removed. After a power cut each is as before or as after, and as new as what was
 * acknowledged.
 */
import type { Disk } from '../../services/runtime/disk/disk.ts';
import { makeFile, makeFolder, putFile } from '../../services/runtime/disk/durable-names.ts';
import { attack, attackDisk, type Exploration } from './explore.ts';
import { PowerDisk } from './power-disk.ts';

const folder = '/data/deep/folder';
const textOf = (version: number) => `${version} ${'z'.repeat(40 + version)}`;

export async function exploreNames(seed: number, around: (disk: Disk) => Disk = (disk) => disk): Promise<Exploration> {
  const it = attack('names', seed, 120);
  const { random } = it;
  const disk = new PowerDisk([
    ['/', null],
    ['/data', null],
  ]);
  let acked = -1;
  let tried = -1;
  let made: string | undefined;
  const onStep = it.onStep((how) => {
    const [cut, atLeast, atMost, wanted] = [disk.cut(random, how), acked, tried, made];
    return async () => {
      const text = (await cut.readFile(`${folder}/put`).catch(() => undefined))?.toString();
      const version = text === undefined ? -1 : Number(text.split(' ', 1)[0]);
      if (text !== undefined && text !== textOf(version)) throw new Error(`a file is torn: ${text}`);
      if (version < atLeast || version > atMost)
        throw new Error(`version ${version} after ${atLeast} was acknowledged`);
      const key = (await cut.readFile(`${folder}/key`).catch(() => undefined))?.toString();
      if (key !== undefined && !/^key \d 1{60}$/.test(key)) throw new Error(`a file is torn: ${key}`);
      if (wanted !== undefined && key !== wanted) throw new Error(`the file that was made is ${key}, not ${wanted}`);
    };
  });
  attackDisk(disk, it, onStep);
  const port = around(disk);
  const survives = async (act: () => Promise<void>) => act().catch(() => {});
  await survives(() => makeFolder(folder, 0o700, port));
  for (let version = 0; version < 4; version++) {
    tried = version;
    await survives(async () => {
      await makeFolder(folder, 0o700, port);
      await putFile(`${folder}/put`, textOf(version), {}, port);
      acked = version;
    });
    await Promise.all(
      [0, 1].map((maker) =>
        survives(async () => {
          const text = `key ${maker} ${'1'.repeat(60)}`;
          if (await makeFile(`${folder}/key`, text, `${version}-${maker}`, {}, port)) made = text;
        }),
      ),
    );
  }
  it.calm();
  return it.check();
}
