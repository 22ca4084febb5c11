/** Leases as URLFrontier's proto has them: a queue rests "since the last time URLs were retrieved". */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { found, known, type Message } from './client.ts';
import { startRig, until } from './rig.ts';

const urls = (infos: readonly Message[]) => infos.map(({ url }) => url);
const statuses = (acks: readonly Message[]) => acks.map(({ status }) => status);
/** Of every queue, and at once. */
const hurry = { key: '', delay_requestable: 0 };
const pages = (count: number, host = 'a') => Array.from({ length: count }, (_, n) => `http://${host}.com/${n + 1}`);
const put = (all: readonly string[]) => all.map((url) => found(url));

test('a queue gives URLs while fewer of them are out than its client’s limit', async () => {
  const rig = await startRig();
  await rig.client.unary('SetDelay', hurry);
  await rig.client.all('PutURLs', put(pages(7)));
  const get = async (max_urls_per_queue: number, more = {}) =>
    urls(await rig.client.all('GetURLs', { max_urls_per_queue, delay_requestable: 3_600, ...more }));
  assert.deepEqual(await get(2), pages(7).slice(0, 2));
  assert.deepEqual(await get(2), [], 'two are out');
  assert.deepEqual(await get(2, { key: 'a.com' }), []);
  assert.deepEqual(await get(3), pages(7).slice(2, 5), 'another client would have three');
  await rig.client.all('PutURLs', [known(pages(7)[0]!), known(pages(7)[3]!), known(pages(7)[2]!)]);
  assert.deepEqual(await get(2), []);
  const { size, inProcess, numberOfQueues } = await rig.client.unary('GetStats', { key: 'a.com' });
  assert.deepEqual([size, inProcess, numberOfQueues], [4, 2, 1]);
  await rig.restart({ forgets: true });
  assert.deepEqual(await get(2), [], 'what is out is known after a restart');
  await rig.client.all('PutURLs', [known(pages(7)[1]!)]);
  assert.deepEqual(await get(2), pages(7).slice(5), 'one is out');
  await rig.close();
});

test('a URL that is never reported blocks no other, and is given again with one more attempt', async () => {
  const rig = await startRig();
  await rig.client.unary('SetDelay', hurry);
  await rig.client.all('PutURLs', put(pages(12)));
  const params = { max_urls_per_queue: 2, delay_requestable: 2 };
  const [silent] = await rig.client.all('GetURLs', { ...params, max_urls_per_queue: 1 });
  const gaveAtMs = Date.now();
  const reported: string[] = [];
  for (let got = ['']; got.length > 0; ) {
    got = urls(await rig.client.all('GetURLs', params));
    await rig.client.all(
      'PutURLs',
      got.map((url) => known(url)),
    );
    reported.push(...got);
  }
  // On a machine that stands still for two seconds, the first may have come again among them.
  if (Date.now() - gaveAtMs < 2_000) assert.deepEqual(reported, pages(12).slice(1));
  else assert.ok(reported.length >= 11);
  const [again] = await until(
    () => rig.client.all('GetURLs', { ...params, max_urls_per_queue: 1 }),
    (got) => got.length > 0 || reported.includes(silent.url),
  );
  if (again !== undefined) {
    assert.equal(again.url, silent.url);
    assert.deepEqual(again.metadata['crawlstream.attempts'].values, ['1']);
  }
  await rig.close();
});

test('a delay counts from the time of the get, whatever happened to the URLs since', async () => {
  const rig = await startRig();
  await rig.client.all('PutURLs', put(pages(3)));
  const beganMs = Date.now();
  await rig.client.all('GetURLs', { max_urls_per_queue: 1 });
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  await rig.client.all('PutURLs', [known(pages(3)[0]!)]);
  const againMs = Date.now();
  assert.equal((await rig.client.all('GetURLs', { max_urls_per_queue: 1 })).length, 1);
  assert.ok(Date.now() - beganMs >= 1_000, 'the default delay is a second');
  await until(
    () => rig.client.all('GetURLs', {}),
    (got) => got.length > 0,
  );
  assert.ok(Date.now() - againMs >= 1_000);
  await rig.close();
});

test('a delay that is set after a get counts from that get', async () => {
  const rig = await startRig();
  await rig.client.unary('SetDelay', hurry);
  await rig.client.all('PutURLs', put(pages(2)));
  await rig.client.all('GetURLs', { max_urls_per_queue: 1 });
  await rig.client.unary('SetDelay', { key: 'a.com', delay_requestable: 3_600 });
  assert.deepEqual(await rig.client.all('GetURLs', { max_urls_per_queue: 9 }), []);
  await rig.client.unary('SetDelay', { key: 'a.com', delay_requestable: 0 });
  assert.deepEqual(urls(await rig.client.all('GetURLs', { max_urls_per_queue: 9 })), pages(2).slice(1));
  await rig.close();
});

test('nothing of a lease outlives its queue or its crawl', async () => {
  const rig = await startRig();
  const wait = { key: 'a.com', delay_requestable: 3_600 };
  const get = { max_urls_per_queue: 1, delay_requestable: 3_600 };
  for (const [rpc, request] of [
    ['DeleteQueue', { key: 'a.com' }],
    ['DeleteCrawl', {}],
  ] as const) {
    await rig.client.all('PutURLs', put(pages(2)));
    await rig.client.unary('SetDelay', wait);
    assert.equal((await rig.client.all('GetURLs', get)).length, 1, rpc);
    await rig.client.all('PutURLs', [known(pages(2)[0]!)]);
    assert.deepEqual(await rig.client.unary(rpc, request), { value: 2 });
    assert.deepEqual(statuses(await rig.client.all('PutURLs', put(pages(2)))), ['OK', 'OK']);
    assert.equal((await rig.client.unary('GetStats')).inProcess, 0);
    const [again] = await rig.client.all('GetURLs', get);
    assert.deepEqual([again?.url, again?.metadata], [pages(2)[0], {}], `${rpc}: at once, and for the first time`);
    await rig.client.unary(rpc, request);
  }
  await rig.close();
});

test('queues at their limit of URLs out block no other queue', async () => {
  const rig = await startRig();
  await rig.client.unary('SetDelay', hurry);
  const hosts = Array.from({ length: 30 }, (_, n) => `host-${n}`);
  await rig.client.all('PutURLs', put(hosts.flatMap((host) => pages(3, host))));
  const get = async (most: number) =>
    urls(await rig.client.all('GetURLs', { max_queues: 10, max_urls_per_queue: most, delay_requestable: 3_600 }));
  const first = [...(await get(1)), ...(await get(1)), ...(await get(1))];
  assert.equal(new Set(first).size, 30);
  assert.deepEqual(await get(1), []);
  assert.deepEqual(await get(1), []);
  assert.equal((await get(2)).length, 20, 'ten queues have two each for whoever would have two');
  await rig.close();
});
