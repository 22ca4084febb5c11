import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { folderDocuments } from '../../../../../services/extras/fleet/documents/folder-documents.ts';
import { shareLimits } from '../../../../../services/extras/fleet/shares/share-limits.ts';
import { Stops } from '../../../../../services/extras/fleet/shares/stops.ts';
import { temporaryFolder } from '../../../runtime/store/temporary-folder.ts';

const crawlOf = (name: string, owner: string, more: object = {}) => ({
  ...{ name, owner, seeds: ['http://a.test/'], policy: { maxDepth: 3 } as Record<string, unknown> },
  ...more,
});

test('a crawl like one that stopped the process is held for a day, under any name and after a restart', async () => {
  const documents = folderDocuments(temporaryFolder());
  let nowMs = 1_000_000;
  const clock = { nowMs: () => nowMs };
  const stops = await Stops.open(documents, clock, assert.fail);
  await stops.note(crawlOf('one', 'eve'), 'ended', nowMs);
  for (const known of [stops, await Stops.open(documents, clock, assert.fail)]) {
    assert.match(known.holdOf(crawlOf('two', 'eve'))!, /crawl one has the same seeds.*\/v1\/crawls\/two\/resume/);
    assert.equal(known.holdOf(crawlOf('one', 'ann')), null, 'another owner');
    assert.equal(known.holdOf(crawlOf('one', 'eve', { seeds: ['http://b.test/'] })), null, 'other seeds');
    assert.equal(known.holdOf(crawlOf('one', 'eve', { policy: {} })), null, 'another policy');
  }
  nowMs += shareLimits.stopsMs;
  assert.equal(stops.holdOf(crawlOf('two', 'eve')), null);
});

test('after two stops within a day, all new crawls of the owner are held; one stop that is noted twice counts once', async () => {
  const stops = await Stops.open(folderDocuments(temporaryFolder()), { nowMs: () => 10 }, assert.fail);
  const other = { seeds: ['http://other.test/'] };
  for (const owner of ['eve', ''])
    for (let noted = 0; noted < 2; noted++) await stops.note(crawlOf(`one of ${owner}`, owner), 'ended', 1);
  assert.equal(stops.holdOf(crawlOf('three', 'eve', other)), null);
  for (const owner of ['eve', '']) await stops.note(crawlOf(`two of ${owner}`, owner, { policy: {} }), 'ended', 2);
  assert.match(stops.holdOf(crawlOf('three', 'eve', other))!, /crawls of eve stopped .* 2 times/);
  assert.equal(stops.holdOf(crawlOf('three', 'ann', other)), null);
  assert.equal(stops.holdOf(crawlOf('three', '', other)), null, 'without keys, all crawls are of one owner');
});

test('an unreadable document of stops is named, and does not keep the fleet from its start', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'stops.json'), '{');
  const said: string[] = [];
  const stops = await Stops.open(folderDocuments(folder), { nowMs: () => 10 }, (text) => said.push(text));
  assert.equal(stops.holdOf(crawlOf('one', 'eve')), null);
  assert.match(said.join(), /stops\.json cannot be read/);
});
