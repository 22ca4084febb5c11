import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blankDeadLetter } from '../../../../schemas/blank.ts';
import type { DeadLetter } from '../../../../schemas/types.ts';
import { replayRequest } from '../../../../services/runtime/crawl/replay-dead-letter.ts';

const topics = { crawl: 'c', partitions: 4, keyMode: 'host' } as const;
const replayed = (deadLetter: Partial<DeadLetter>) =>
  replayRequest(topics, { id: 'c.dead-letters/1@7', deadLetter: { ...blankDeadLetter, ...deadLetter } }, 99);

test('a record is sent again to the topic and partition that it came from, byte by byte', () => {
  const original = Buffer.from([0, 1, 255]);
  const from = { sourceTopic: 'fleet.c.results', sourcePartition: 3, hostKey: 'a.test', reason: 'unknown' } as const;
  const [record, mark, ...more] = replayed({ ...from, original });
  assert.deepEqual(record, {
    ...{ topic: 'raw', into: 'results', partition: 3, key: 'a.test', record: original.toString('base64') },
  });
  const { original: _, ...rest } = { ...blankDeadLetter, ...from };
  assert.deepEqual(mark, {
    ...{ topic: 'dead-letters', partition: 3, key: 'a.test' },
    record: { ...rest, reason: 'replayed', detail: 'c.dead-letters/1@7', atMs: 99 },
  });
  assert.deepEqual(more, []);
  assert.equal(replayed({ sourceTopic: 'c.pages', original })[0]!.key, null, 'it had no host');
});

test('a URL is sent again past the seen test, with its depth and tags', () => {
  const url = 'http://a.test/x';
  const [forced, mark, ...more] = replayed({ url, hostKey: 'a.test', depth: 3, tags: ['t'], sourcePartition: 2 });
  assert.ok(forced?.topic === 'discovered');
  const [group] = forced.record.groups;
  assert.deepEqual(
    [group?.intent, group?.depth, group?.tags, group?.front, group?.links.map((link) => link.url)],
    ['force', 3, ['t'], false, [url]],
  );
  assert.ok(mark?.topic === 'dead-letters');
  assert.deepEqual([mark.partition, mark.key, mark.record.reason], [2, 'a.test', 'replayed']);
  assert.deepEqual(more, []);
});
