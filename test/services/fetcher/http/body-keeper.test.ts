/** What is kept of a body for archives, piece by piece: in memory, in a file beyond it, and no more than is wanted. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BodyFile, FiledBody } from '../../../../services/fetcher/http/body-files.ts';
import { type BodyArchive, BodyKeeper, type KeptBody } from '../../../../services/fetcher/http/kept-body.ts';
import type { RequestFailure } from '../../../../services/fetcher/http/request-failure.ts';
import { BodyBuffer } from '../../../../services/runtime/body-buffer.ts';

const filed: FiledBody = { name: 'f', bytes: 1, digest: 'd' };

interface Report {
  readonly kept: KeptBody | undefined;
  /** What each piece was answered. */
  readonly waits: readonly string[];
  readonly written: string | null;
  readonly discarded: boolean;
}

/** A body in these pieces, of which `memoryMax` bytes stay in memory. */
async function keep(
  pieces: readonly string[],
  {
    memoryMax = 4,
    bodyBytesMax = 8,
    files = true,
    failure = null,
    holds = () => true,
    takes = () => true,
    isLost = false,
  }: {
    memoryMax?: number;
    bodyBytesMax?: number;
    files?: boolean;
    failure?: RequestFailure | null;
    holds?: () => boolean;
    takes?: () => boolean;
    isLost?: boolean;
  } = {},
): Promise<Report> {
  let written: string | null = null;
  let discarded = false;
  const file: BodyFile = {
    write(chunk) {
      written = (written ?? '') + chunk.toString();
      return takes();
    },
    async finish() {
      return isLost ? null : filed;
    },
    discard() {
      discarded = true;
    },
  };
  const archive = {
    ...{ what: 'all', bodyBytesMax, messageBytesMax: memoryMax },
    files: files ? { open: () => file } : undefined,
  } as unknown as BodyArchive;
  const memory = new BodyBuffer(memoryMax);
  const hold = (chunk: Buffer) => {
    memory.add(chunk);
    return holds();
  };
  const keeper = new BodyKeeper(archive, memory, memoryMax, hold, () => {});
  const waits = pieces.map((piece) => keeper.add(Buffer.from(piece)));
  return { kept: await keeper.finish(failure), waits, written, discarded };
}

const inMemory = (text: string, more: Partial<KeptBody> = {}) => ({
  ...{ bytes: Buffer.from(text), file: null, length: text.length, truncatedBy: '' },
  ...more,
});
const inFile = (length: number, more: Partial<KeptBody> = {}) => ({
  ...{ bytes: Buffer.alloc(0), file: filed, length, truncatedBy: '' },
  ...more,
});

test('a body stays in memory up to the memory bound, however it is split', async () => {
  for (const pieces of [['abcd'], ['a', 'b', 'c', 'd'], ['abc', 'd'], ['', 'abcd', '']]) {
    const { kept, waits, written } = await keep(pieces);
    assert.deepEqual(kept, inMemory('abcd'), pieces.join());
    assert.deepEqual([new Set(waits), written], [new Set(['on']), null]);
  }
  assert.deepEqual((await keep([])).kept, inMemory(''));
});

test('a body beyond the memory bound continues in a file that begins with the part in memory', async () => {
  for (const pieces of [['abcde'], ['abcd', 'e'], ['a', 'b', 'c', 'd', 'e']]) {
    const { kept, written } = await keep(pieces);
    assert.deepEqual([kept, written], [inFile(5), 'abcde'], pieces.join());
  }
});

test('a body beyond its limit is cut and marked as cut', async () => {
  for (const pieces of [['abcdefgh'], ['abcd', 'efgh'], ['abcdefg', 'h', '']]) {
    const { kept, written } = await keep(pieces);
    assert.deepEqual([kept, written], [inFile(8), 'abcdefgh'], pieces.join());
  }
  for (const pieces of [['abcdefghi'], ['abcd', 'efghi'], ['abcdefgh', 'i'], ['abcdefg', 'hi', 'j']]) {
    const { kept, written, waits } = await keep(pieces);
    assert.deepEqual([kept, written], [inFile(8, { truncatedBy: 'length' }), 'abcdefgh'], pieces.join());
    assert.deepEqual(new Set(waits), new Set(['on']));
  }
});

test('a body is cut at the memory bound if no folder for bodies exists', async () => {
  assert.deepEqual((await keep(['abc', 'd'], { files: false })).kept, inMemory('abcd'));
  assert.deepEqual((await keep(['abc', 'de'], { files: false })).kept, inMemory('abcd', { truncatedBy: 'length' }));
  const small = { files: false, bodyBytesMax: 2 };
  assert.deepEqual((await keep(['ab'], small)).kept, inMemory('ab'));
  assert.deepEqual((await keep(['abc'], small)).kept, inMemory('ab', { truncatedBy: 'length' }));
});

test('a chunk waits for memory, or for a file that is full', async () => {
  assert.deepEqual((await keep(['a', 'b'], { holds: () => false })).waits, ['memory', 'memory']);
  assert.deepEqual((await keep(['abcd', 'e', 'f'], { takes: () => false })).waits, ['on', 'file', 'file']);
});

test('the reason of a body’s end uses the words of WARC', async () => {
  const ends = [
    ['timeout', 'time'],
    ['connectionFailed', 'disconnect'],
    ['badResponse', 'disconnect'],
  ] as const;
  for (const [kind, truncatedBy] of ends) {
    const failure = { kind, detail: '' };
    assert.deepEqual((await keep(['ab'], { failure })).kept, inMemory('ab', { truncatedBy }), kind);
    assert.deepEqual((await keep(['abcde'], { failure })).kept, inFile(5, { truncatedBy }), kind);
    // Whose length was enough is cut by that.
    assert.equal((await keep(['abcdefghi'], { failure })).kept?.truncatedBy, 'length');
  }
});

test('an aborted body leaves neither memory nor file', async () => {
  const failure = { kind: 'aborted', detail: '' } as const;
  assert.deepEqual(
    [(await keep(['ab'], { failure })).kept, (await keep(['abcde'], { failure })).kept],
    [undefined, undefined],
  );
  assert.deepEqual(
    [(await keep(['ab'], { failure })).discarded, (await keep(['abcde'], { failure })).discarded],
    [false, true],
  );
});

test('a body whose file cannot be kept is marked as cut', async () => {
  const { kept } = await keep(['abcde'], { isLost: true });
  assert.deepEqual(kept, inMemory('', { truncatedBy: 'unspecified' }));
});
