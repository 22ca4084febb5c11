/** `explain` of what people type: what it reads of a crawl, and the commands that it prints. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { explainEach, explainer } from '../../../../services/hosting/inspect/explain.ts';
import type { Change } from '../../../../topology/frontier/changes/changes.ts';
import { everyChange } from '../../../topology/frontier/changes/every-change.ts';
import { leavesAtFirstRead, memoryCrawl } from '../../cli/inspect/memory-crawl.ts';

const admitted = (url: string): Change => ({
  ...everyChange.admit[0]!,
  hostKey: new URL(url).host,
  entries: [{ url, depth: 0, hop: 0, attempts: 0, expiries: 0, frontQueue: 3 }],
});

async function asked(url: string, flags: Parameters<typeof explainer>[1] = {}) {
  const { crawl, readings, policy, result, commit, close } = await memoryCrawl(4);
  await policy();
  await commit('a.test', [admitted('http://a.test/known')]);
  await commit('www.b.test', [admitted('https://www.b.test/known')]);
  for (let n = 0; n < 20; n++) await result({ url: `http://h${n}.test/`, kind: 'fetched', status: 200 });
  await result({ url: 'http://a.test/known', kind: 'fetched', status: 200 });
  readings.splice(0);
  const { lines } = await explainer(crawl, flags)(url);
  await close();
  const answer = lines.find(([name]) => name === 'answer')?.[1];
  return { answer, results: readings.filter((topic) => topic === 'c.results').length };
}

test('an unknown URL costs no more readings of results when it may be known in other forms', async () => {
  for (const typed of ['http://a.test/unknown', 'a.test/unknown', 'www.a.test/unknown', 'https://a.test/unknown']) {
    const { answer, results } = await asked(typed);
    assert.match(answer!, /^(never seen: |refused by )/, typed);
    // Each of four partitions for what plugins left out, and the URL's own for its newest outcome.
    assert.ok(results <= 4 + 1, `${typed}: ${results} readings`);
  }
});

test('a URL that is known in another form is found under it', async () => {
  for (const typed of ['https://www.a.test/known', 'https://a.test/known', 'www.a.test/known'])
    assert.match((await asked(typed)).answer!, /^never seen in this form, but as http:\/\/a\.test\/known: /, typed);
  assert.match((await asked('http://b.test/known')).answer!, /but as https:\/\/www\.b\.test\/known: /);
  assert.match((await asked('a.test/known')).answer!, /^queued, /);
});

test('the command that explain prints names the schema registry of its crawl', async () => {
  const flags = { brokers: 'localhost:9092', registry: 'http://localhost:8081' };
  assert.match(
    (await asked('https://a.test/known', flags)).answer!,
    / explain http:\/\/a\.test\/known --brokers localhost:9092 --registry http:\/\/localhost:8081 --crawl c$/,
  );
});

test('several URLs are explained by one reading of the policy, each as it is alone', async () => {
  const { crawl, readings, policy, commit, close } = await memoryCrawl(1);
  await policy();
  await commit('a.test', [admitted('http://a.test/known')]);
  const urls = ['http://a.test/known', 'http://a.test/unknown', 'http://b.test/'];
  const counted = async <T>(act: () => Promise<T>) => {
    readings.splice(0);
    return { value: await act(), control: readings.filter((topic) => topic === 'c.control').length };
  };
  const together = await counted(() => explainEach(crawl, {}, urls));
  const alone = [];
  for (const url of urls) alone.push(await counted(() => explainer(crawl, {})(url)));
  await close();
  assert.deepEqual(
    together.value,
    alone.map(({ value }) => value.lines),
  );
  const readingsAlone = alone.reduce((sum, { control }) => sum + control, 0);
  assert.equal(readingsAlone - together.control, urls.length - 1);
});

test('a URL that cannot be crawled costs no reading of control', async () => {
  const { crawl, readings, policy, close } = await memoryCrawl(1);
  await policy();
  readings.splice(0);
  await explainEach(crawl, {}, []);
  const forPolicy = readings.filter((topic) => topic === 'c.control').length;
  readings.splice(0);
  await explainEach(crawl, {}, ['ftp://a.test/1', 'ftp://a.test/2']);
  assert.equal(readings.filter((topic) => topic === 'c.control').length, forPolicy);
  await close();
});

test('an explanation ends when its caller leaves, and reads no more', async () => {
  const { crawl, policy, commit, close } = await memoryCrawl(1);
  await policy();
  await commit('a.test', [admitted('http://a.test/known')]);
  const { reads, leaving, signal } = leavesAtFirstRead(crawl);
  await assert.rejects(explainer(leaving, {})('http://a.test/known', signal), /the caller left/);
  assert.equal(reads(), 1);
  await close();
});
