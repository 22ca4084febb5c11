import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createMemoryStore } from '../../../../services/runtime/store/memory-store.ts';
import { createOverlayStore } from '../../../../services/runtime/store/overlay-store.ts';

const put = (key: string, value: string) => ({ key: Buffer.from(key), value: Buffer.from(value) });
const range = { gte: Buffer.from('a'), lt: Buffer.from('z') };

it('an overlay shows its own rows over those below, hides deleted rows, and leaves the base unchanged', async () => {
  const base = createMemoryStore();
  await base.write([put('a', '1'), put('b', '2'), put('c', '3'), put('e', '5')]);
  const overlay = createOverlayStore(base);
  await overlay.write([put('b', 'two'), put('d', 'four'), { key: Buffer.from('c'), value: null }]);
  const rows = async (extra = {}) => {
    const found = [];
    for await (const [key, value] of overlay.scan({ ...range, ...extra })) found.push(`${key}${value}`);
    return found;
  };
  assert.deepEqual(await rows(), ['a1', 'btwo', 'dfour', 'e5']);
  assert.deepEqual(await rows({ reverse: true, limit: 3 }), ['e5', 'dfour', 'btwo']);
  const values = await overlay.getMany(['c', 'a', 'd', 'b', 'x'].map((key) => Buffer.from(key)));
  assert.deepEqual(
    values.map((value) => value?.toString()),
    [undefined, '1', 'four', 'two', undefined],
  );
  assert.equal((await base.get(Buffer.from('b')))?.toString(), '2');
  await overlay.close();
  assert.equal((await base.get(Buffer.from('d'))) ?? null, null);
});
