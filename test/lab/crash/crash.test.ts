/** Power cuts after every step of what writes to disk; and faults of the program that they show. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exploreArchive } from '../../../lab/crash/archive-run.ts';
import { exploreJournal } from '../../../lab/crash/journal-run.ts';
import { exploreNames } from '../../../lab/crash/names-run.ts';
import type { Disk, DiskFile } from '../../../services/runtime/disk/disk.ts';

const runs = { journal: exploreJournal, archive: exploreArchive, names: exploreNames };

for (const [name, explore] of Object.entries(runs))
  test(`after a power cut at any step of the run "${name}", nothing acknowledged is lost`, async () => {
    let states = 0;
    for (let seed = 1; seed <= 5; seed++) {
      const found = await explore(seed);
      assert.deepEqual(found.violations, []);
      states += found.states;
    }
    assert.ok(states > 500, `${states} states`);
  });

/** `disk` with other files, as a program that calls it wrongly would have them. */
function withFiles(disk: Disk, change: (file: DiskFile, flags: string) => Partial<DiskFile>): Disk {
  const open: Disk['open'] = async (path, flags, mode) => {
    const file = await disk.open(path, flags, mode);
    return Object.assign(Object.create(file) as DiskFile, file, change(file, flags));
  };
  return new Proxy(disk, {
    get: (target, name) => (name === 'open' ? open : (target[name as keyof Disk] as () => unknown).bind(target)),
  });
}

const planted: Record<string, (disk: Disk) => Disk> = {
  'folders are not synced': (disk) => withFiles(disk, (_, flags) => (flags === 'r' ? { sync: async () => {} } : {})),
  'the count of a short write is ignored': (disk) =>
    withFiles(disk, (file) => ({
      writev: async (parts) => {
        await file.writev(parts);
        return { bytesWritten: parts.reduce((sum, part) => sum + part.length, 0) };
      },
    })),
  'writes are acknowledged before they are synced': (disk) =>
    withFiles(disk, (_, flags) => (flags === 'r' ? {} : { sync: async () => {}, datasync: async () => {} })),
  'errors of a sync are passed over': (disk) =>
    withFiles(disk, (file) => ({
      sync: () => file.sync().catch(() => {}),
      datasync: () => file.datasync().catch(() => {}),
    })),
};

for (const [fault, plant] of Object.entries(planted))
  test(`power cuts reveal that ${fault}`, async () => {
    for (const explore of Object.values(runs))
      for (let seed = 1; seed <= 25; seed++) if ((await explore(seed, plant)).violations.length > 0) return;
    assert.fail('no run has found it');
  });
