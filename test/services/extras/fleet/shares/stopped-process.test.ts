import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CrawlFile, noCounts } from '../../../../../services/extras/fleet/crawl-file.ts';
import { folderDocuments } from '../../../../../services/extras/fleet/documents/folder-documents.ts';
import { holdStopper, loopSubjectOf } from '../../../../../services/extras/fleet/shares/stopped-process.ts';
import { Stops } from '../../../../../services/extras/fleet/shares/stops.ts';
import { temporaryFolder } from '../../../runtime/store/temporary-folder.ts';

const at = 1_000_000;

function fileOf(name: string, more: Partial<CrawlFile> = {}): CrawlFile {
  return {
    ...{
      format: 1,
      name,
      owner: 'eve',
      weight: 1,
      createdAtMs: 1,
      wish: 'running',
      idempotencyKey: '',
      requestHash: '',
    },
    ...{ seeds: ['http://a.test/'], policy: {}, end: null, failure: null, noPage: null, hold: null, counts: noCounts },
    ...{ changes: [], webhook: null, output: { markdown: false }, ...more },
  };
}

/** A fleet that starts once after each stop of its process. */
async function fleetOf(files: readonly CrawlFile[]) {
  const stops = await Stops.open(folderDocuments(temporaryFolder()), { nowMs: () => at }, assert.fail);
  let now = files;
  const stored = new Map<string, CrawlFile>();
  const said: string[] = [];
  const write = async (file: CrawlFile) => void stored.set(file.name, file);
  return {
    said,
    stored,
    async stoppedBy(name: string, atMs: number, how: 'ended' | 'diedTwice' = 'ended') {
      const verdict = { how, subject: loopSubjectOf(fileOf(name)), atMs };
      now = await holdStopper(now, verdict, { write }, stops, (text) => said.push(text));
    },
    resume(name: string) {
      now = now.map((file) => (file.name === name ? { ...file, hold: null } : file));
    },
    held: () => now.filter(({ hold }) => hold !== null).map(({ name }) => name),
  };
}

const other = (n: number) => ({ seeds: [`http://${n}.test/`] });

test('with a crawl that stopped the process, its owner’s crawls like it are held, whether they run or rest', async () => {
  const fleet = await fleetOf([
    fileOf('one'),
    fileOf('two'),
    fileOf('paused', { wish: 'paused' }),
    fileOf('ended', { wish: 'ended' }),
    fileOf('another', other(1)),
    fileOf('of ann', { owner: 'ann' }),
  ]);
  await fleet.stoppedBy('one', at);
  assert.deepEqual(fleet.held(), ['one', 'two', 'paused']);
  assert.deepEqual([...fleet.stored.keys()], ['two', 'paused', 'one'], 'if a kill comes between, all is done again');
  assert.match(fleet.stored.get('two')!.hold!, /crawl one has the same seeds.*\/v1\/crawls\/two\/resume/);
  assert.equal(fleet.said.length, 3, 'each is named');
});

test('the second stop within a day holds all crawls of the owner', async () => {
  const fleet = await fleetOf([1, 2, 3, 4].map((n) => fileOf(`${n}`, other(n))));
  await fleet.stoppedBy('1', at);
  assert.deepEqual(fleet.held(), ['1']);
  await fleet.stoppedBy('2', at);
  assert.deepEqual(fleet.held(), ['1', '2', '3', '4']);
});

test('deaths of the process hold the crawl under decision and those like it, not all of the owner', async () => {
  const fleet = await fleetOf([fileOf('one'), fileOf('two'), ...[1, 2, 3].map((n) => fileOf(`${n}`, other(n)))]);
  await fleet.stoppedBy('one', at, 'diedTwice');
  await fleet.stoppedBy('1', at + 1, 'diedTwice');
  await fleet.stoppedBy('2', at + 2, 'ended');
  assert.deepEqual(fleet.held(), ['one', 'two', '1', '2']);
});

test('a crawl that the operator resumed runs until crawls of its owner stop the process again', async () => {
  const fleet = await fleetOf([fileOf('one'), fileOf('two'), fileOf('of ann', { owner: 'ann' })]);
  await fleet.stoppedBy('one', at);
  fleet.resume('two');
  await fleet.stoppedBy('of ann', at);
  assert.deepEqual(fleet.held(), ['one', 'of ann']);
});
