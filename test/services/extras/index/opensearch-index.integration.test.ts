import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { pageRecord } from '../../../../lab/pages/page-record.ts';
import { duplicateOf, goneAt, purgeOf, received } from '../../../../lab/pages/records.ts';
import { numbers } from '../../../../lab/web/random.ts';
import type { Page } from '../../../../schemas/types.ts';
import { changesOf, type IndexTopic } from '../../../../services/extras/index/index-change.ts';
import { openOpenSearch } from '../../../../services/extras/index/opensearch-index.ts';
import type { Received } from '../../../../services/runtime/consumer/received.ts';
import { nodeSkipReason, startNode, type TestNode } from '../../../opensearch/node.ts';

const skip = await nodeSkipReason();
const signal = new AbortController().signal;
/** Waits are over at once. */
const clock = { nowMs: () => 0, sleepUntil: async () => {} };

const page = (name: string, text: string, more: Partial<Page> = {}) =>
  received('pages', pageRecord({ url: `http://a.test/${name}`, title: name, text, ...more }));

describe('the index in OpenSearch', { skip: skip ?? false, timeout: 600_000 }, () => {
  let node: TestNode;
  before(async () => {
    node = await startNode();
  });
  after(() => node?.stop());

  const apply = async (index: string, records: readonly Received<IndexTopic>[], pages: readonly Page[] = []) => {
    const opened = await openOpenSearch({ node: node.url, index, clock, signal });
    await opened.apply(await changesOf(records, async (_, offset) => pages[offset]));
    await opened.close();
  };
  const found = async (index: string, word: string): Promise<string[]> => {
    await fetch(`${node.url}/${index}/_refresh`, { method: 'POST' });
    const response = await fetch(`${node.url}/${index}/_search?size=1000&q=text:${word}`);
    const { hits } = (await response.json()) as { hits: { hits: { _source: { url: string; title: string } }[] } };
    return hits.hits.map(({ _source }) => `${_source.url} ${_source.title}`).sort();
  };

  it('the index in OpenSearch holds pages except gone ones, noindex ones and duplicates; a former duplicate returns', async () => {
    const two = page('two', 'river', { fetchedAtMs: 11 });
    await apply('pages', [page('one', 'river', { fetchedAtMs: 10 }), two, page('no', 'river', { noindex: true })]);
    await apply('pages', [page('gone', 'river', { fetchedAtMs: 12 }), goneAt('http://a.test/gone', 20)]);
    await apply('pages', [duplicateOf(two.value as Page, 'http://a.test/one', 30)]);
    assert.deepEqual(await found('pages', 'river'), ['http://a.test/one one']);
    await apply('pages', [duplicateOf(two.value as Page, 'http://a.test/two', 40)], [two.value as Page]);
    assert.deepEqual(await found('pages', 'river'), ['http://a.test/one one', 'http://a.test/two two']);
  });

  it('the index in OpenSearch drops purged pages, also those of the same batch', async () => {
    const other = page('kept', 'pond', { url: 'http://b.test/kept', hostKey: 'b.test' });
    await apply('purged', [page('one', 'pond'), page('two', 'pond'), other]);
    await apply('purged', [purgeOf('a.test', 50, 'http://a.test/one'), page('three', 'pond')]);
    assert.deepEqual(await found('purged', 'pond'), [
      'http://a.test/three three',
      'http://a.test/two two',
      'http://b.test/kept kept',
    ]);
    await apply('purged', [page('four', 'pond'), purgeOf('a.test', 50)]);
    assert.deepEqual(await found('purged', 'pond'), ['http://b.test/kept kept']);
  });

  it('the index in OpenSearch lists every URL it holds, also those not searchable yet', async () => {
    const pages = Array.from({ length: 1_203 }, (_, n) => page(`${n}`, 'well', { fetchedAtMs: 10 }));
    await apply('listed', pages);
    await apply('listed', [purgeOf('a.test', 50, 'http://a.test/7')]);
    const opened = await openOpenSearch({ node: node.url, index: 'listed', clock, signal });
    const urls: string[] = [];
    for await (const url of opened.urls()) urls.push(url);
    await opened.close();
    assert.equal(new Set(urls).size, 1_202);
    assert.ok(!urls.includes('http://a.test/7'));
  });

  it('the index in OpenSearch is the same whatever the order and whatever is sent twice', async () => {
    const next = numbers(5);
    const history: Received<IndexTopic>[] = [];
    for (let n = 0; n < 150; n++) {
      const name = `${next() % 15}`;
      const made = page(name, `lake ${n}`, { title: `v${n}`, fetchedAtMs: 100 + 10 * n });
      const dice = next() % 4;
      history.push(dice === 0 ? goneAt(`http://a.test/${name}`, 100 + 10 * n) : made);
      if (dice === 1) history.push(duplicateOf(made.value as Page, 'http://a.test/x', 101 + 10 * n + (next() % 30)));
    }
    await apply('straight', history);
    const expected = await found('straight', 'lake');
    assert.ok(expected.length > 3);
    for (const topic of ['duplicates', 'results', 'pages', 'pages'])
      await apply(
        'mixed',
        history.filter((one) => one.topic === topic).toSorted(() => (next() % 3) - 1),
      );
    await apply('mixed', history.slice(0, 70));
    assert.deepEqual(await found('mixed', 'lake'), expected);
  });

  it('the index in OpenSearch reports in one line what OpenSearch refuses', async () => {
    const opened = await openOpenSearch({ node: node.url, index: 'strict', clock, signal });
    const wrong = {
      kind: 'put',
      url: 'http://a.test/',
      version: 1,
      page: { text: 'x', fetchedAtMs: 'never' },
    } as never;
    await assert.rejects(opened.apply([wrong]), {
      code: 'DESTINATION_REFUSED',
      message: /refused http:\/\/a\.test\/: mapper/,
    });
    await opened.close();
  });
});

describe('back-pressure of OpenSearch', () => {
  /** A node that has no room for a document the first times it is asked. */
  async function fullNode(refusals: Map<string, number>) {
    const accepted: string[] = [];
    let bulks = 0;
    const server = createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      response.setHeader('content-type', 'application/json');
      if (!request.url!.includes('_bulk')) return response.end('{}');
      bulks += 1;
      const lines = body
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as { index?: object; url?: string });
      const items = lines.flatMap(({ url }) => {
        if (url === undefined) return [];
        const left = refusals.get(url) ?? 0;
        refusals.set(url, left - 1);
        if (left > 0) return [{ index: { status: 429, error: { type: 'rejected_execution_exception' } } }];
        accepted.push(url);
        return [{ index: { status: 201 } }];
      });
      return response.end(JSON.stringify({ errors: true, items }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    after(() => server.close());
    const { port } = server.address() as { port: number };
    return { node: `http://127.0.0.1:${port}`, accepted, bulks: () => bulks };
  }

  it('back-pressure of OpenSearch resends only rejected documents, until they fit', async () => {
    const full = await fullNode(new Map([['http://a.test/2', 3]]));
    const opened = await openOpenSearch({ node: full.node, index: 'i', clock, signal });
    await opened.apply(await changesOf([page('1', 'x'), page('2', 'x'), page('3', 'x')], async () => undefined));
    assert.deepEqual(full.accepted, ['http://a.test/1', 'http://a.test/3', 'http://a.test/2']);
    assert.equal(full.bulks(), 4);
    await opened.close();
  });

  it('back-pressure of OpenSearch stops waiting when the process stops', async () => {
    const full = await fullNode(new Map([['http://a.test/1', 1e9]]));
    const stopping = new AbortController();
    const opened = await openOpenSearch({ node: full.node, index: 'i', clock, signal: stopping.signal });
    const applied = opened.apply(await changesOf([page('1', 'x')], async () => undefined));
    setTimeout(() => stopping.abort(), 20);
    await assert.rejects(applied, { code: 'DESTINATION_UNREACHABLE', retriable: true });
    await opened.close();
  });

  it('back-pressure of OpenSearch names a node that cannot be reached', async () => {
    const options = { node: 'http://user:secret@127.0.0.1:1', index: 'i', clock, signal };
    await assert.rejects(openOpenSearch(options), {
      code: 'DESTINATION_UNREACHABLE',
      message: /^OpenSearch at 127\.0\.0\.1:1: /,
    });
  });
});
