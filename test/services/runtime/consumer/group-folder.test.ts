/** Positions and dead letters of a consumer in its folder, from one process to the next. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { blankDeadLetter } from '../../../../schemas/blank.ts';
import { openGroupFolder, readGroupDeadLetters } from '../../../../services/runtime/consumer/group-folder.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';

const letter = (n: number) => ({
  ...{ ...blankDeadLetter, detail: `letter ${n}`, sourceOffset: 2 ** 40 + n, original: Buffer.from([n, 0, 255]) },
});

test('positions are kept by topic and partition, and the newest of each counts', async () => {
  const folder = temporaryFolder();
  const first = await openGroupFolder(folder);
  assert.equal(await first.positions.load('t', 0), undefined);
  const at = (topic: string, partition: number, offset: number) => ({ topic, partition, offset });
  await first.positions.save([at('t', 0, 1), at('t', 300, 2 ** 45), at('t2', 0, 3)]);
  await first.positions.save([at('t', 0, 4)]);
  await first.close();
  const second = await openGroupFolder(folder);
  const loaded = [];
  for (const [topic, partition] of [
    ['t', 0],
    ['t', 300],
    ['t', 44],
    ['t2', 0],
    ['t3', 0],
  ] as const)
    loaded.push(await second.positions.load(topic, partition));
  assert.deepEqual(loaded, [4, 2 ** 45, undefined, 3, undefined]);
  await second.close();
});

test('dead letters are kept in order, behind those of earlier processes, and read beside the one that runs', async () => {
  const folder = join(temporaryFolder(), 'group');
  assert.deepEqual(await readGroupDeadLetters(folder), []);
  for (const numbers of [[], [1, 2], [3], [4, 5]]) {
    const group = await openGroupFolder(folder);
    await group.keepDeadLetters(numbers.map(letter));
    await group.positions.save([{ topic: 't', partition: 0, offset: 1 }]);
    await group.close();
  }
  const running = await openGroupFolder(folder);
  await assert.rejects(openGroupFolder(folder), { code: 'DATA_FOLDER_LOCKED' });
  assert.deepEqual(await readGroupDeadLetters(folder), [1, 2, 3, 4, 5].map(letter));
  await running.close();
});
