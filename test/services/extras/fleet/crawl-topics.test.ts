/** Crawls of a fleet on Kafka as their owner keeps them, killed before any write. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync } from 'node:fs';
import { test } from 'node:test';
import { type CrawlFile, noCounts } from '../../../../services/extras/fleet/crawl-file.ts';
import { CrawlTopics, crawlsIn } from '../../../../services/extras/fleet/crawl-topics.ts';
import { openTopicDocuments } from '../../../../services/extras/fleet/documents/topic-documents.ts';
import { SystemClock } from '../../../../services/runtime/clock.ts';
import { openEmbeddedLog } from '../../../../services/runtime/log/embedded-log.ts';
import { createMemoryStore } from '../../../../services/runtime/store/memory-store.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';

const topic = 'f.crawls';
const fileOf = (name: string): CrawlFile => ({
  ...{ format: 1, name, owner: '', weight: 1, createdAtMs: 1, wish: 'running', seeds: [], policy: {} },
  ...{
    idempotencyKey: '',
    requestHash: '',
    end: null,
    failure: null,
    noPage: null,
    hold: null,
    counts: noCounts,
    changes: [],
  },
  ...{ webhook: null, output: { markdown: false } },
});

test('a kill before any write leaves a crawl and its topics whole or absent', async () => {
  for (const what of ['create', 'remove'] as const)
    for (let writes = 0; ; writes++) {
      const log = await openEmbeddedLog(createMemoryStore(), new SystemClock());
      await log.createTopics([{ name: topic, partitions: 1, retention: 'state' }]);
      const data = temporaryFolder();
      const topics = new Set<string>();
      let left = Number.POSITIVE_INFINITY;
      const append: typeof log.append = (records, options) =>
        left-- > 0 ? log.append(records, options) : Promise.reject(new Error('killed'));
      const open = async () => {
        const documents = await openTopicDocuments({ log: { ...log, append }, topic, by: 'a', onLost: () => {} });
        const drop = async (name: string) => {
          if (left <= 0) throw new Error('killed');
          topics.delete(name);
        };
        return { documents, crawls: new CrawlTopics({ documents, data, drop }) };
      };
      const { crawls, documents } = await open();
      const make = (name: string) => async (path: string) => {
        mkdirSync(path, { recursive: true });
        topics.add(name);
      };
      await crawls.create(fileOf('stays'), make('stays'));
      if (what === 'remove') {
        await crawls.create(fileOf('x'), make('x'));
        await documents.put('crawls/x/webhook.json', '{}');
      }
      left = writes;
      const act = what === 'create' ? crawls.create(fileOf('x'), make('x')) : crawls.remove('x');
      const isDone = await act.then(
        () => true,
        () => false,
      );
      left = Number.POSITIVE_INFINITY;
      const next = await open();
      const names = (await next.crawls.list()).map(({ name }) => name).sort();
      assert.deepEqual([...topics].sort(), names, `${what}, ${writes} writes`);
      assert.ok(names.includes('stays'));
      if (isDone) assert.deepEqual(names, what === 'create' ? ['stays', 'x'] : ['stays']);
      const isThere = names.includes('x');
      assert.deepEqual((await next.documents.keys('crawls/x/')).length > 0, isThere);
      if (!isThere) assert.ok(!existsSync(crawls.pathOf('x')));
      assert.deepEqual(
        (await next.documents.keys('')).filter((key) => key.endsWith('/topics')),
        [],
      );
      if (isDone) {
        assert.ok(writes > 2);
        break;
      }
    }
});

test('a list of a fleet’s crawls for readers omits those being created or deleted', async () => {
  const log = await openEmbeddedLog(createMemoryStore(), new SystemClock());
  await log.createTopics([{ name: topic, partitions: 1, retention: 'state' }]);
  const documents = await openTopicDocuments({ log, topic, by: 'a', onLost: () => {} });
  await documents.put('least-waits.json', '{}');
  await documents.put('crawls/making/topics', 'making');
  for (const name of ['going', 'b', 'a'])
    await documents.put(`crawls/${name}/fleet.json`, JSON.stringify(fileOf(name)));
  await documents.put('crawls/going/topics', 'going');
  assert.deepEqual(await crawlsIn(documents), ['a', 'b']);
});
