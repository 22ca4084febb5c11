/** Links between hosts, as a map reads them from a link graph: counted, bounded, and without purged pages. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { linksOfHosts } from '../../../../services/extras/graph/host-links.ts';
import { Purges } from '../../../../services/runtime/crawl/purges.ts';
import { createMemoryStore } from '../../../../services/runtime/store/memory-store.ts';
import { edgeKey, edgeValue } from '../../../../topology/extras/graph/edge-row.ts';

/** Paths of links by page. */
const pages: Readonly<Record<string, readonly string[]>> = {
  'a.test/1': ['b.test/', 'b.test/x', 'a.test/2', 'c.test/'],
  'a.test/2': ['b.test/', 'd.test/', 'd.test/x', 'd.test/y', 'd.test/z'],
  'a.test/3': ['c.test/'],
  'a.test:8080/': ['b.test/'],
  'b.test/': ['a.test/1'],
};
const bounds = { pagesOfHost: 9, linksOfHost: 99, targetsOfHost: 9 };

async function read(hosts: readonly string[], more: Partial<typeof bounds> = {}, refused: readonly string[] = []) {
  const store = createMemoryStore();
  const rows = Object.entries(pages).map(([page, targets]) => ({
    key: edgeKey(page.split('/')[0]!, `http://${page}`),
    value: edgeValue(
      5,
      targets.map((target) => `http://${target}`),
    ),
  }));
  await store.write(rows);
  const purges = { refuses: (url: string) => refused.some((one) => url.startsWith(`http://${one}`)) };
  return linksOfHosts(store, hosts, purges, { ...bounds, ...more });
}

test('links to each other host are counted over the pages of a host, those among the given hosts first', async () => {
  assert.deepEqual(await read(['a.test', 'b.test']), [
    {
      host: 'a.test',
      targets: [
        { host: 'b.test', links: 3 },
        { host: 'd.test', links: 4 },
        { host: 'c.test', links: 2 },
      ],
      isWhole: true,
    },
    { host: 'b.test', targets: [{ host: 'a.test', links: 1 }], isWhole: true },
  ]);
  assert.deepEqual(await read(['z.test']), [{ host: 'z.test', targets: [], isWhole: true }]);
});

test('a read of links ends at its limits of pages, links and targets, and says so', async () => {
  const isWhole = async (more: Partial<typeof bounds>) => (await read(['a.test'], more))[0]!.isWhole;
  assert.deepEqual([await isWhole({ pagesOfHost: 2 }), await isWhole({ pagesOfHost: 3 })], [false, true]);
  assert.deepEqual([await isWhole({ linksOfHost: 9 }), await isWhole({ linksOfHost: 10 })], [false, true]);
  assert.deepEqual([await isWhole({ targetsOfHost: 2 }), await isWhole({ targetsOfHost: 3 })], [false, true]);
  const [within] = await read(['a.test'], { linksOfHost: 6 });
  assert.deepEqual(
    within!.targets.map(({ host, links }) => `${host} ${links}`),
    ['b.test 3', 'c.test 1', 'd.test 1'],
    'a limit ends within a page',
  );
  const [cut] = await read(['a.test'], { pagesOfHost: 1 });
  assert.deepEqual(cut!.targets, [
    { host: 'b.test', links: 2 },
    { host: 'c.test', links: 1 },
  ]);
});

test('links from and to purged pages do not count, before the graph has taken them out', async () => {
  const [left] = await read(['a.test'], {}, ['a.test/2', 'c.test']);
  assert.deepEqual(left!.targets, [{ host: 'b.test', links: 2 }]);
});

test('a read of links ends when its caller leaves', async () => {
  const gone = AbortSignal.abort();
  await assert.rejects(linksOfHosts(createMemoryStore(), ['a.test'], new Purges(), bounds, gone), /abort/i);
});
