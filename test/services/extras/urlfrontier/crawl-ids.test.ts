import assert from 'node:assert/strict';
import { test } from 'node:test';
import { found, known, type Message } from './client.ts';
import { startRig } from './rig.ts';

const statuses = (acks: readonly Message[]) => acks.map(({ status }) => status);
const of = (crawlID: string, url = 'http://a.com/1') => found(url, { crawlID });

test('a deleted crawl frees its id: it uses nothing of the server, and can start over', async () => {
  const rig = await startRig(2);
  const { size: alone } = rig.running;
  for (let n = 0; n < 5; n++) {
    assert.deepEqual(statuses(await rig.client.all('PutURLs', [of('x'), of('x', 'http://b.com/1')])), ['OK', 'OK']);
    assert.equal((await rig.client.all('GetURLs', { crawlID: 'x', max_queues: 1 })).length, 1);
    assert.equal(rig.running.size, alone + 1);
    assert.deepEqual(await rig.client.unary('DeleteCrawl', { value: 'x' }), { value: 2 });
    assert.equal(rig.running.size, alone, 'nothing of it runs');
    assert.deepEqual((await rig.client.unary('ListCrawls')).values, []);
    assert.equal((await rig.client.unary('GetStats', { crawlID: 'x' })).size, 0);
    assert.deepEqual(await rig.client.unary('DeleteCrawl', { value: 'x' }), { value: 0 });
    if (n === 2) await rig.restart({ forgets: true });
  }
  assert.deepEqual(await rig.client.all('GetURLs', {}), []);
  await rig.client.all('PutURLs', [of('')]);
  assert.deepEqual(await rig.client.unary('DeleteCrawl', {}), { value: 1 });
  assert.equal(rig.running.size, alone, 'the default crawl stays');
  await rig.close();
});

test('after a restart a crawl is opened at its first call, with everything it had', async () => {
  const rig = await startRig();
  const { size: alone } = rig.running;
  const ids = ['one', 'two', 'three', 'four', 'five', 'six'];
  await rig.client.all(
    'PutURLs',
    ids.map((id) => of(id)),
  );
  await rig.restart();
  assert.equal(rig.running.size, alone, 'at first, only the default crawl');
  assert.deepEqual((await rig.client.unary('ListCrawls')).values.sort(), [...ids].sort());
  assert.equal((await rig.client.unary('GetStats', { crawlID: 'one' })).size, 1);
  assert.deepEqual(statuses(await rig.client.all('PutURLs', [of('two'), of('two', 'http://b.com/')])), [
    'SKIPPED',
    'OK',
  ]);
  assert.equal(rig.running.size, alone + 2);
  await rig.client.all('PutURLs', [known('http://a.com/1', 0, { crawlID: 'three' })]);
  assert.equal((await rig.client.unary('GetStats', { crawlID: 'three' })).counts.completed, 1);
  const three = await rig.client.all('GetURLs', { max_queues: 3 });
  assert.equal(three.length, 3);
  assert.equal(rig.running.size, alone + 3, 'those that are open had as many as were asked for');
  const rest = await rig.client.all('GetURLs', {});
  assert.deepEqual(rest.map(({ crawlID }) => crawlID).sort(), ['five', 'four', 'six']);
  assert.equal((await rig.client.unary('DeleteCrawl', { value: 'six' })).value, 1);
  await rig.restart();
  assert.equal((await rig.client.unary('DeleteCrawl', { value: 'five' })).value, 1, 'one that was not open');
  await rig.client.unary('SetActive', { state: false });
  await rig.client.unary('SetDelay', { key: '', delay_requestable: 3_600 });
  await rig.client.all('PutURLs', [of('one', 'http://c.com/1'), of('one', 'http://c.com/2')]);
  const get = { crawlID: 'one', key: 'c.com', max_urls_per_queue: 1 };
  assert.deepEqual(await rig.client.all('GetURLs', get), [], 'what was set before it was open holds');
  await rig.client.unary('SetActive', { state: true });
  assert.equal((await rig.client.all('GetURLs', get)).length, 1);
  assert.deepEqual(await rig.client.all('GetURLs', { ...get, max_urls_per_queue: 9 }), [], 'the delay, too');
  assert.deepEqual((await rig.client.unary('ListCrawls')).values.sort(), ['four', 'one', 'three', 'two']);
  await rig.close();
});
