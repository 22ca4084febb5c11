/** Power cuts after every step of what writes to disk; and faults of the program that they show. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exploreArchive } from '../../../lab/crash/archive-run.ts';
import { exploreForget } from '../../../lab/crash/forget-run.ts';
import { exploreJournal } from '../../../lab/crash/journal-run.ts';
import { exploreNames } from '../../../lab/crash/names-run.ts';
import type { Disk, DiskFile } from '../../../services/runtime/disk/disk.ts';

const runs = { forget: exploreForget, names: exploreNames, archive: exploreArchive, journal: exploreJournal };

/** Of a run of many states fewer. */
const seeds: Record<string, number> = { forget: 12, names: 5, archive: 1, journal: 1 };

for (const [name, explore] of Object.entries(runs))
  test(`after a power cut at any step of the run "${name}", nothing acknowledged is lost`, async () => {
    let states = 0;
    // From here on a folder is made, and the sync of the one above fails.
    const from = name === 'names' ? 1010 : 1;
    for (let seed = from; seed < from + seeds[name]!; seed++) {
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
  'a file is deleted before what replaces it is synced': (disk) => {
    let newest = '';
    return new Proxy(disk, {
      get: (target, name) => {
        if (name !== 'open') return (target[name as keyof Disk] as () => unknown).bind(target);
        return async (...given: Parameters<Disk['open']>) => {
          const [path, flags] = given;
          const before = newest;
          if (flags !== 'r' && flags !== 'r+') newest = path;
          if (before !== '' && newest !== before) await disk.rm(before, { force: true });
          return disk.open(...given);
        };
      },
    });
  },
  'a position is kept before its data': (disk) => {
    // Each sync of bytes is one write late.
    let late: (() => Promise<void>)[] = [];
    return withFiles(disk, (file, flags) => {
      if (flags === 'r') return {};
      const sync = async () => void late.push(() => file.sync());
      return {
        sync,
        datasync: sync,
        writev: async (parts) => {
          const due = late;
          late = [];
          for (const one of due) await one().catch(() => {});
          return file.writev(parts);
        },
      };
    });
  },
};

for (const [fault, plant] of Object.entries(planted))
  test(`power cuts reveal that ${fault}`, async () => {
    // A run of small files takes some milliseconds.
    for (let seed = 1; seed <= 400; seed++) if ((await exploreNames(seed, plant)).violations.length > 0) return;
    for (let seed = 1; seed <= 10; seed++)
      for (const explore of Object.values(runs)) if ((await explore(seed, plant)).violations.length > 0) return;
    assert.fail('no run has found it');
  });
