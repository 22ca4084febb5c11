import assert from 'node:assert/strict';
import { test } from 'node:test';
import { found, known, type Message } from './client.ts';
import { startRig, until } from './rig.ts';

const statuses = (acks: readonly Message[]) => acks.map(({ status }) => status);
const urls = (infos: readonly Message[]) => infos.map(({ url }) => url);
/** Of every queue, and at once. */
const hurry = { key: '', delay_requestable: 0 };

test('an item is acknowledged by its ID or URL; a repeated URL is skipped, and so is junk, with a reason', async () => {
  const rig = await startRig();
  const junk = ['no url', '', 'ftp://a.com/', `http://a.com/${'x'.repeat(100_000)}`, 'http://', 'http://a.com/\u0000'];
  const acks = await rig.client.all('PutURLs', [
    found('http://a.com/1', {}, 'first'),
    found('http://a.com/1'),
    ...junk.map((url) => found(url)),
    {},
  ]);
  assert.deepEqual(
    acks.slice(0, 2).map(({ ID, status }) => [ID, status]),
    [
      ['first', 'OK'],
      ['http://a.com/1', 'SKIPPED'],
    ],
  );
  assert.equal(acks.length, 9);
  for (const { status, reason } of acks.slice(2)) assert.ok(status === 'SKIPPED' && reason.length > 10, reason);
  const [batch, probe] = await rig.client.all('PutDiscovered', [
    { ID: 'b', items: [{ url: 'http://a.com/2' }, { url: 'http://a.com/1' }, { url: 'junk' }] },
    { ID: 'probe' },
  ]);
  assert.deepEqual([batch.ID, ...batch.statuses], ['b', 'OK', 'SKIPPED', 'SKIPPED']);
  assert.deepEqual([probe.ID, probe.statuses], ['probe', []]);
  await rig.close();
});

test('metadata returns as it was put, with the URL, its status and in lists', async () => {
  const rig = await startRig();
  const metadata = {
    'a key': { values: ['v1', '', 'vü'] },
    empty: { values: [] },
    'crawlstream.priority': { values: ['0'] },
  };
  await rig.client.all('PutURLs', [found('http://a.com/1', { metadata })]);
  assert.deepEqual((await rig.client.unary('GetURLStatus', { url: 'http://a.com/1' })).known.info.metadata, metadata);
  await rig.restart({ forgets: true });
  const [info] = await rig.client.all('GetURLs', {});
  assert.deepEqual(info, { url: 'http://a.com/1', key: 'a.com', crawlID: 'DEFAULT', metadata });
  const later = { s: { values: ['200'] } };
  await rig.client.all('PutURLs', [known('http://a.com/1', 0, { metadata: later })]);
  await rig.restart();
  assert.deepEqual(
    (await rig.client.all('ListURLs', {})).map(({ known: one }) => one.info.metadata),
    [later],
  );
  await rig.close();
});

test('a queue has its client’s key, of any characters; derived keys are equal for all spellings of a host', async () => {
  const rig = await startRig(3);
  const odd = ['under_score', 'a b', 'k\u0000\n/\u{1f600}', '0'];
  await rig.client.all('PutURLs', [
    ...['http://b.com/1', 'HTTP://B.COM/2', 'http://b.com.:8080/3', 'https://%62.com/4'].map((url) => found(url)),
    ...odd.map((key) => found('http://c.com/', { key })),
  ]);
  const { values, total } = await rig.client.unary('ListQueues');
  assert.deepEqual([...values].sort(), ['b.com', ...odd].sort());
  assert.equal(total, 5);
  assert.equal((await rig.client.unary('GetStats', { key: 'b.com' })).size, 4);
  await rig.client.unary('SetDelay', hurry);
  const got = await rig.client.all('GetURLs', { max_queues: 4 });
  assert.equal(new Set(got.map(({ key }) => key)).size, 4);
  for (const key of odd) await rig.client.all('PutURLs', [known('http://c.com/', 0, { key })]);
  assert.equal((await rig.client.unary('GetStats')).counts.completed, 4);
  await rig.close();
});

test('a repeated result counts once; 0 means never again, and a date means from then on', async () => {
  const rig = await startRig();
  await rig.client.unary('SetDelay', hurry);
  await rig.client.all('PutURLs', [found('http://a.com/1'), found('http://a.com/2')]);
  await rig.client.all('GetURLs', {});
  const past = Math.floor(Date.now() / 1000) - 5;
  await rig.client.all('PutURLs', [
    known('http://a.com/1'),
    known('http://a.com/1'),
    known('http://a.com/2', past + 9_000),
  ]);
  await rig.client.all('PutURLs', [known('http://a.com/1'), known('http://new.com/'), known('http://new.com/')]);
  const { size, counts, inProcess } = await rig.client.unary('GetStats');
  assert.deepEqual([size, counts.completed, inProcess], [1, 2, 0]);
  assert.equal(
    (await rig.client.unary('GetURLStatus', { url: 'http://a.com/2' })).known.refetchable_from_date,
    past + 9_000,
  );
  assert.equal((await rig.client.unary('GetURLStatus', { url: 'http://new.com/' })).known.refetchable_from_date, 0);
  assert.deepEqual(await rig.client.all('GetURLs', {}), []);
  assert.deepEqual(statuses(await rig.client.all('PutURLs', [found('http://a.com/1')])), ['SKIPPED']);
  // Done, and wanted again; the older date goes first.
  await rig.client.all('PutURLs', [known('http://a.com/1', past), known('http://a.com/2', past - 5)]);
  assert.deepEqual(urls(await rig.client.all('GetURLs', {})), ['http://a.com/2', 'http://a.com/1']);
  await rig.close();
});

test('client settings survive a restart, and apply to later queues', async () => {
  const rig = await startRig();
  const soon = Math.floor(Date.now() / 1000) + 3_600;
  await rig.client.unary('SetDelay', { key: 'later.com', delay_requestable: 3_600 });
  await rig.client.unary('SetDelay', hurry);
  await rig.client.unary('BlockQueueUntil', { key: 'blocked.com', time: soon });
  await rig.client.unary('SetCrawlLimit', { key: 'limited.com', limit: 1 });
  const hosts = ['later', 'blocked', 'limited', 'free'];
  await rig.client.all(
    'PutURLs',
    hosts.flatMap((host) => [1, 2].map((n) => found(`http://${host}.com/${n}`))),
  );
  await rig.client.all('GetURLs', { key: 'later.com', max_urls_per_queue: 1, delay_requestable: 3_600 });
  await rig.client.unary('SetActive', { state: false });
  for (const forgets of [false, true]) {
    await rig.restart({ forgets });
    assert.deepEqual(await rig.client.unary('GetActive'), { state: false });
    assert.deepEqual(await rig.client.all('GetURLs', {}), []);
  }
  await rig.client.unary('SetActive', { state: true });
  await rig.client.all('PutURLs', [known('http://later.com/1')]);
  const params = { max_urls_per_queue: 1 };
  assert.deepEqual(urls(await rig.client.all('GetURLs', params)).sort(), ['http://free.com/1', 'http://limited.com/1']);
  await rig.client.all('PutURLs', [known('http://limited.com/1'), known('http://free.com/1')]);
  assert.deepEqual(urls(await rig.client.all('GetURLs', params)), ['http://free.com/2']);
  await rig.client.unary('SetCrawlLimit', { key: 'limited.com', limit: 0 });
  await rig.client.unary('BlockQueueUntil', { key: 'blocked.com', time: 0 });
  assert.deepEqual(urls(await rig.client.all('GetURLs', params)).sort(), [
    'http://blocked.com/1',
    'http://limited.com/2',
  ]);
  const { values } = await rig.client.unary('ListQueues', { include_inactive: true });
  assert.deepEqual(values, ['later.com', 'blocked.com', 'limited.com', 'free.com']);
  await rig.close();
});

test('deleted and purged URLs can be put again, and nothing else of theirs is left', async () => {
  const rig = await startRig();
  await rig.client.unary('SetDelay', hurry);
  const all = ['a', 'b'].flatMap((host) => [1, 2, 3].map((n) => found(`http://${host}.com/${n}`)));
  await rig.client.all('PutURLs', all);
  await rig.client.all('GetURLs', { max_urls_per_queue: 1 });
  await rig.client.all('PutURLs', [known('http://a.com/1')]);
  assert.deepEqual(await rig.client.unary('DeleteQueue', { key: 'a.com' }), { value: 3 });
  assert.equal((await rig.client.unary('GetStats')).numberOfQueues, 1);
  await rig.restart({ forgets: true });
  assert.deepEqual(statuses(await rig.client.all('PutURLs', all)), [
    ...Array(3).fill('OK'),
    ...Array(3).fill('SKIPPED'),
  ]);
  assert.equal((await rig.client.unary('CountURLs', { filter: 'A.com/', ignoreCase: true })).value, 3);
  assert.equal((await rig.client.unary('PurgeURLs', { days: 1 })).value, 0);
  await until(
    () => rig.client.unary('PurgeURLs', { key: 'b.com' }),
    ({ value }) => value > 0,
  );
  assert.deepEqual(statuses(await rig.client.all('PutURLs', all.slice(3))), ['OK', 'OK', 'OK']);
  await assert.rejects(rig.client.unary('GetURLStatus', { url: 'http://b.com/9' }), { code: 5 });
  assert.equal((await rig.client.unary('DeleteCrawl', {})).value, 6);
  const { size, numberOfQueues } = await rig.client.unary('GetStats');
  assert.deepEqual([size, numberOfQueues], [0, 0]);
  assert.deepEqual(statuses(await rig.client.all('PutURLs', all.slice(0, 1))), ['OK']);
  await rig.close();
});

test('crawl ids are separate crawls, over restarts; DEFAULT is the unnamed one', async () => {
  const rig = await startRig(2);
  const ids = ['', 'other / ö', 'DEFAULT'];
  const acks = await rig.client.all(
    'PutURLs',
    ids.map((crawlID) => found('http://a.com/1', { crawlID })),
  );
  assert.deepEqual(statuses(acks), ['OK', 'OK', 'SKIPPED']);
  await rig.restart();
  assert.deepEqual((await rig.client.unary('ListCrawls')).values.sort(), ['DEFAULT', 'other / ö']);
  assert.deepEqual(
    (await rig.client.all('GetURLs', { crawlID: ' ' })).map(({ crawlID }) => crawlID),
    ['DEFAULT'],
  );
  assert.deepEqual(
    (await rig.client.all('GetURLs', {})).map(({ crawlID }) => crawlID),
    ['other / ö'],
  );
  assert.equal((await rig.client.unary('DeleteCrawl', { value: 'other / ö' })).value, 1);
  assert.deepEqual((await rig.client.unary('ListCrawls')).values, ['DEFAULT']);
  await rig.close();
});

test('urgent URLs go first, in their queue and among queues', async () => {
  const rig = await startRig();
  const of = (n: number) => ({ metadata: { 'crawlstream.priority': { values: [`${n}`] } } });
  await rig.client.all(
    'PutURLs',
    [7, 3, 0, 5].map((n) => found(`http://a.com/${n}`, of(n))),
  );
  const got = await rig.client.all('GetURLs', {});
  assert.deepEqual(urls(got), ['http://a.com/0', 'http://a.com/3', 'http://a.com/5', 'http://a.com/7']);
  await rig.close();
});

test('lists are paged and filtered', async () => {
  const rig = await startRig();
  const all = Array.from({ length: 250 }, (_, n) => `http://a.com/page-${n}`);
  await rig.client.all(
    'PutURLs',
    all.map((url) => found(url)),
  );
  await rig.client.all('GetURLs', { max_urls_per_queue: 10 });
  await rig.client.all('PutURLs', [known(all[0]!)]);
  const page = async (start: number, filter = '') =>
    (await rig.client.all('ListURLs', { start, size: 90, filter })).map((item) => item.known.info.url as string);
  const listed = [...(await page(0)), ...(await page(90)), ...(await page(180))];
  assert.deepEqual([...listed].sort(), [...all].sort());
  assert.equal((await rig.client.all('ListURLs', {})).length, 100);
  assert.deepEqual((await page(0, 'page-24')).length, 11);
  assert.equal((await rig.client.unary('CountURLs', { key: 'a.com' })).value, 250);
  await rig.close();
});
