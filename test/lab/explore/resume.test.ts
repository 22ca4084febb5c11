import assert from 'node:assert/strict';
import { readFile, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { claimsAllowed, createClaimsWorld } from '../../../lab/explore/claims/world.ts';
import { type Explored, type ExploreOptions, Explorer, type World } from '../../../lab/explore/engine/explore.ts';
import { keepProgress, readProgress } from '../../../lab/explore/engine/kept-file.ts';
import { Violation } from '../../../lab/explore/engine/violation.ts';
import { withScratchFolder } from '../../../services/runtime/disk/scratch-folder.ts';

/** A walk on a grid from one corner, where `isForbidden` says which places break a rule. */
function grid(
  size: number,
  isForbidden: (x: number, y: number) => boolean = () => false,
): World<readonly [number, number]> {
  return {
    first: [0, 0],
    moves: ([x, y]) =>
      (
        [
          ['east', x + 1, y],
          ['north', x, y + 1],
          ['back', Math.max(0, x - 1), y],
        ] as const
      )
        .filter(([, a, b]) => Math.max(a, b) < size)
        .map(([name, a, b]) => ({ say: () => name, next: () => [a, b] })),
    hash([x, y], words) {
      words[0] = x;
      words[1] = y;
    },
    check([x, y]) {
      if (isForbidden(x, y)) throw new Violation('positions', `${x}, ${y}`);
    },
    checkEnd: () => {},
  };
}

/** Stops after each few states, and goes on in a new explorer from the file. */
async function inPieces<State>(world: () => World<State>, options: ExploreOptions, every: number): Promise<Explored> {
  return withScratchFolder(tmpdir(), 'crawlstream-explore-', async (folder) => {
    const file = join(folder, 'kept');
    for (;;) {
      const explorer = new Explorer(world(), options, await readProgress(file, 'this'));
      let left = every;
      const result = explorer.run(() => left-- === 0);
      if (result.isOver) return result;
      await keepProgress(file, 'this', explorer.progress);
    }
  });
}

describe('an exploration that is stopped', () => {
  for (const every of [1, 2, 7, 1_000])
    it(`an exploration in pieces of ${every} states finds what one in one go finds`, async () => {
      const options = { depth: 9, endsEvery: 1 };
      assert.deepEqual(await inPieces(() => grid(5), options, every), new Explorer(grid(5), options).run());
    });

  it('an exploration in pieces finds the same shortest history that breaks a rule', async () => {
    const world = () => grid(9, (x, y) => x === 3 && y === 2);
    const options = { depth: 20, endsEvery: 1 };
    const whole = new Explorer(world(), options).run();
    assert.equal(whole.violation?.history.length, 5);
    assert.deepEqual(await inPieces(world, options, 3), whole);
  });

  it('another process goes on with the real owners, and meets each of their states once', async () => {
    const options = { depth: 6, endsEvery: 64 };
    const world = () => createClaimsWorld(claimsAllowed);
    assert.deepEqual(await inPieces(world, options, 150), new Explorer(world(), options).run());
  });

  it('a file of another world, a damaged file and a world that behaves otherwise are refused', async () => {
    await withScratchFolder(tmpdir(), 'crawlstream-explore-', async (folder) => {
      const file = join(folder, 'kept');
      const options = { depth: 6, endsEvery: 1 };
      const explorer = new Explorer(grid(5), options);
      let left = 12;
      explorer.run(() => left-- === 0);
      await keepProgress(file, 'grid', explorer.progress);
      await assert.rejects(readProgress(file, 'other'), /keeps an exploration of "grid", not of "other"/);
      const progress = await readProgress(file, 'grid');
      assert.throws(() => new Explorer(grid(2), options, progress), /state \d+ is not what it was/);
      await truncate(file, (await readFile(file)).length - 1);
      await assert.rejects(readProgress(file, 'grid'), /is damaged: remove it/);
    });
  });
});
