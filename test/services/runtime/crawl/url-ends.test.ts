/** URLs that ended without a page, by each kind of change that ends a URL. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UrlEnds, urlEnds } from '../../../../services/runtime/crawl/url-ends.ts';
import type { Change, FinalStatus, KnownUrl } from '../../../../topology/frontier/changes/changes.ts';
import { everyChange } from '../../../topology/frontier/changes/every-change.ts';
import { memoryCrawl } from '../../cli/inspect/memory-crawl.ts';

const hostKey = 'a.test';
const url = (name: string) => `http://a.test/${name}`;
const record = (name: string, status: FinalStatus) => ({ ...everyChange.abandon[0]!.record, url: url(name), status });
const entry = (name: string) => ({ ...everyChange.admit[0]!.entries[1]!, url: url(name) });
const admitted = (...names: string[]): Change => ({ kind: 'admit', hostKey, known: true, entries: names.map(entry) });
const resolved = (name: string, status: FinalStatus): Change => ({
  ...{ kind: 'resolve', leaseId: 1, index: 0, disposition: { to: 'final', status } },
  record: record(name, status),
});
const again = (name: string): Change => ({
  ...{ kind: 'resolve', leaseId: 1, index: 0, record: null },
  disposition: { to: 'again', dueAtMs: 9, entry: entry(name) },
});
const finished = (name: string, status: FinalStatus): Change => ({
  ...{ kind: 'finish', hostKey, seq: 1, record: record(name, status) },
});
const abandoned = (name: string, status: FinalStatus): Change => ({
  ...{ kind: 'abandon', hostKey, record: record(name, status) },
});
const visited = (name: string, status: FinalStatus): Change => {
  const visit = everyChange.visit[0]!;
  return { ...visit, page: { ...visit.page, record: record(name, status) } };
};
const loaded = (...some: readonly (readonly [name: string, status: KnownUrl['status']])[]): Change => ({
  kind: 'load',
  row: { row: 'known', urls: some.map(([name, status]) => ({ ...record(name, 'page'), status })) },
});

function endsAfter(changes: readonly Change[], isAsked: (key: string) => boolean = () => true) {
  const urls = new UrlEnds(isAsked);
  for (const change of changes) urls.take(change);
  const ends = [...urls.ends.values()].map(({ record, hostKey }) => `${record.url} ${record.status} ${hostKey}`);
  return { ends, endings: urls.endings, placeOf: (name: string) => urls.placeOf(url(name)) };
}

const ending = {
  resolve: resolved,
  finish: finished,
  load: (name: string, status: FinalStatus) => loaded([name, status]),
};

for (const [kind, end] of Object.entries(ending))
  test(`a URL that a ${kind} ends without a page is listed without a host, and counts once`, () => {
    for (const status of ['failed', 'dead', 'denied'] as const) {
      const { ends, endings, placeOf } = endsAfter([admitted('x'), end('x', status)]);
      assert.deepEqual([ends, endings, placeOf('x')], [[`${url('x')} ${status} null`], 1, undefined], status);
    }
    for (const status of ['page', 'redirected'] as const) {
      const { ends, endings, placeOf } = endsAfter([admitted('x'), end('x', status)]);
      assert.deepEqual([ends, endings, placeOf('x')], [[], 0, 'kept'], status);
    }
  });

test('a URL that is given up with its host is listed with the host, and one of another crawler is kept', () => {
  const { ends, endings } = endsAfter([admitted('x'), abandoned('x', 'dead')]);
  assert.deepEqual([ends, endings], [[`${url('x')} dead a.test`], 1]);
  const { ends: none, endings: zero, placeOf } = endsAfter([loaded(['x', 'known'])]);
  assert.deepEqual([none, zero, placeOf('x')], [[], 0, 'kept']);
});

test('each URL of a loaded row is listed, and other rows of a load list none', () => {
  const { ends, endings } = endsAfter([loaded(['x', 'failed'], ['y', 'page'], ['z', 'denied'])]);
  assert.deepEqual(ends, [`${url('x')} failed null`, `${url('z')} denied null`]);
  assert.equal(endings, 2);
  const others = everyChange.load.filter(({ row }) => row.row !== 'known');
  assert.ok(others.length > 0);
  assert.deepEqual(endsAfter(others).ends, []);
});

test('a visit moves a page among the ends and back, and is no further ending', () => {
  const gone = endsAfter([resolved('x', 'page'), visited('x', 'failed')]);
  assert.deepEqual([gone.ends, gone.endings, gone.placeOf('x')], [[`${url('x')} failed null`], 0, undefined]);
  const back = endsAfter([resolved('x', 'page'), visited('x', 'failed'), visited('x', 'page')]);
  assert.deepEqual([back.ends, back.endings, back.placeOf('x')], [[], 0, 'kept']);
});

test('a URL that is sent again waits until it ends once more, and each of its ends counts', () => {
  for (const sent of [admitted('x'), again('x')]) {
    const waiting = endsAfter([resolved('x', 'failed'), sent]);
    assert.deepEqual([waiting.ends, waiting.endings, waiting.placeOf('x')], [[], 1, 'waiting']);
    const ended = endsAfter([resolved('x', 'failed'), sent, resolved('x', 'denied')]);
    assert.deepEqual([ended.ends, ended.endings, ended.placeOf('x')], [[`${url('x')} denied null`], 2, undefined]);
  }
});

test('a page that is sent again waits, and is kept once it is fetched', () => {
  assert.equal(endsAfter([resolved('x', 'page'), admitted('x')]).placeOf('x'), 'waiting');
  assert.equal(endsAfter([resolved('x', 'page'), admitted('x'), resolved('x', 'page')]).placeOf('x'), 'kept');
});

test('a lease that ends without a record of its URL changes no place', () => {
  const without: Change = { ...resolved('x', 'failed'), record: null } as Change;
  const { ends, endings, placeOf } = endsAfter([admitted('x'), without]);
  assert.deepEqual([ends, endings, placeOf('x')], [[], 0, 'waiting']);
});

test('places are kept of the asked URLs alone, by the key of the seen test', () => {
  const asked: string[] = [];
  const changes = [admitted('x?a=', 'y'), resolved('z', 'page')];
  const { placeOf } = endsAfter(changes, (key) => asked.push(key) > 0 && key === url('x?a'));
  assert.deepEqual(asked, [url('x?a'), url('y'), url('z')]);
  assert.deepEqual([placeOf('x?a'), placeOf('y'), placeOf('z')], ['waiting', undefined, undefined]);
  const { ends } = endsAfter([admitted('x?a='), resolved('x?a', 'failed')], () => false);
  assert.deepEqual(ends, [`${url('x?a')} failed null`], 'ends are listed unasked');
});

test('the ends of a partition are those of its whole changelog, or of what is left of it', async () => {
  const { crawl, commit, trim, close } = await memoryCrawl();
  await commit(hostKey, [admitted('x', 'y'), resolved('x', 'failed')]);
  await commit(hostKey, [resolved('y', 'denied')]);
  const read = async () => {
    const { urls, isWhole } = await urlEnds(crawl.log, 'c', 0, () => false);
    return { ends: [...urls.ends.keys()], isWhole };
  };
  assert.deepEqual(await read(), { ends: [url('x'), url('y')], isWhole: true });
  await trim('frontier-changelog', 1);
  assert.deepEqual(await read(), { ends: [url('y')], isWhole: false });
  await close();
});
