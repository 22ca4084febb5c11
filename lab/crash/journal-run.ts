/**
 * Several stores written through one journal. After a power cut each store has all that was acknowledged, and of the
 * other writes no later one without the earlier ones.
 */
import type { Disk } from '../../services/runtime/disk/disk.ts';
import { openJournal } from '../../services/runtime/store/journal/journal.ts';
import type { StateStore } from '../../services/runtime/store/store.ts';
import { attack, attackDisk, type Exploration } from './explore.ts';
import { diskOf, PowerDisk } from './power-disk.ts';
import { PowerStore } from './power-store.ts';

const clock = { nowMs: () => 0, sleepUntil: async () => {} };
const limits = { intervalMs: 0, fileBytes: 400 };
const folder = '/data/journal';

interface Write {
  readonly number: number;
  /** Counts the openings of its store. */
  readonly session: number;
  isAcked: boolean;
}

/** `around`: adds a fault of the program itself between the journal and the disk. */
export async function exploreJournal(
  seed: number,
  around: (disk: Disk) => Disk = (disk) => disk,
): Promise<Exploration> {
  const it = attack('journal', seed, 400);
  const { random } = it;
  const disk = new PowerDisk([
    ['/', null],
    ['/data', null],
  ]);
  const stores = Array.from({ length: 3 }, () => new PowerStore());
  const written: Write[][] = stores.map(() => []);
  const onStep = it.onStep((how) => {
    const cutDisk = disk.cut(random, how);
    const cutStores = stores.map((store) => store.cut(random, how));
    const expected = written.map((writes) => writes.map((write) => ({ ...write })));
    return () => checkStates(cutDisk, cutStores, expected);
  });
  attackDisk(disk, it, onStep);
  for (const store of stores) Object.assign(store, { plan: it.plan, onStep });

  for (let process = 0; process < 2; process++) {
    let isRunning = true;
    const isAlive = () => isRunning;
    const journal = await openJournal(folder, clock, limits, diskOf(around(disk), isAlive)).catch(() => undefined);
    if (journal === undefined) continue;
    const session = async (at: number) => {
      for (let round = 0; round < 2; round++) {
        const store = await journal.store(stores[at]!.open(isAlive)).catch(() => undefined);
        if (store === undefined) continue;
        await Promise.all(
          Array.from({ length: 1 + random.below(6) }, () => put(store, written[at]!, 2 * process + round)),
        );
        for (let n = random.below(6); n > 0; n--) await put(store, written[at]!, 2 * process + round);
        // A killed process closes nothing, and opens nothing.
        if (random.below(4) === 0) return;
        await store.close().catch(() => {});
      }
    };
    await Promise.all(stores.map((_, at) => session(at)));
    if (random.below(3) > 0) await journal.close().catch(() => {});
    isRunning = false;
  }
  it.calm();
  return it.check();
}

async function put(store: StateStore, writes: Write[], session: number): Promise<void> {
  const write: Write = { number: writes.length, session, isAcked: false };
  writes.push(write);
  const ops = [
    { key: Buffer.from(`only${write.number}`), value: Buffer.from('x'.repeat(5 + (write.number % 7) * 9)) },
    { key: Buffer.from(`newest${write.number % 3}`), value: Buffer.from(`${write.number}`) },
  ];
  await store.write(ops).then(
    () => (write.isAcked = true),
    () => {},
  );
}

async function checkStates(disk: PowerDisk, stores: readonly PowerStore[], expected: readonly (readonly Write[])[]) {
  const journal = await openJournal(folder, clock, limits, disk);
  for (const [at, one] of stores.entries()) {
    const store = await journal.store(one.open());
    const present = new Set<number>();
    for (const { number } of expected[at]!) if (await store.get(Buffer.from(`only${number}`))) present.add(number);
    const note = (what: string) => {
      throw new Error(`store ${at} ${what}`);
    };
    for (const write of expected[at]!)
      if (write.isAcked && !present.has(write.number)) note(`lost write ${write.number}`);
    for (const write of expected[at]!) {
      if (present.has(write.number)) continue;
      const later = expected[at]!.find(
        (one) => one.session === write.session && one.number > write.number && present.has(one.number),
      );
      if (later !== undefined) note(`has write ${later.number} without write ${write.number} before it`);
    }
    for (const digit of [0, 1, 2]) {
      const newest = (await store.get(Buffer.from(`newest${digit}`)))?.toString();
      const wanted = [...present].filter((number) => number % 3 === digit).sort((a, b) => b - a)[0];
      if (newest !== wanted?.toString()) note(`has ${newest} as the newest of ${digit}, not ${wanted}`);
    }
    await store.close();
  }
  await journal.close();
}
