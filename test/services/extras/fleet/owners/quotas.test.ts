/** What owners use is added up once, over kills, deletions and days; and how many calls of one are let in. */
import assert from 'node:assert/strict';
import { mkdirSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { noCounts } from '../../../../../services/extras/fleet/crawl-file.ts';
import { folderDocuments } from '../../../../../services/extras/fleet/documents/folder-documents.ts';
import { Callers } from '../../../../../services/extras/fleet/owners/callers.ts';
import { ownersOf, ownersSchema } from '../../../../../services/extras/fleet/owners/owner-file.ts';
import { ownerLimits } from '../../../../../services/extras/fleet/owners/owner-limits.ts';
import { Quotas } from '../../../../../services/extras/fleet/owners/quotas.ts';
import { readUsage } from '../../../../../services/extras/fleet/owners/usage-file.ts';
import { temporaryFolder } from '../../../runtime/store/temporary-folder.ts';

const env = { A: 'a'.repeat(16), B: 'b'.repeat(16) };
const noon = Date.parse('2026-11-25T12:00:00Z');
const ownersWith = (more: object) =>
  ownersOf(
    ownersSchema.parse([
      { name: 'a', key: { env: 'A' }, ...more },
      { name: 'b', key: { env: 'B' } },
    ]),
    env,
  );
const crawl = (name: string, pages: number, more: object = {}) => ({
  ...{ name, owner: 'a', createdAtMs: 1, state: 'running' as const, weight: 1 },
  counts: { ...noCounts, pages, bytes: 10 * pages, hosts: 2 },
  ...more,
});

test('a page counts once, whatever is killed, deleted or recreated under its name, and a day frees all of it', async () => {
  const folder = temporaryFolder();
  let nowMs = noon;
  const clock = { nowMs: () => nowMs };
  const owners = ownersWith({ pagesPerDay: 100, bytesPerDay: 5_000 });
  const quotas = await Quotas.open(folderDocuments(folder), owners, clock);
  const used = (of: Quotas) => of.status([]).map(({ pagesToday, bytesToday }) => [pagesToday.used, bytesToday.used]);
  quotas.look([crawl('x', 40), crawl('y', 10, { owner: 'b' })]);
  quotas.look([crawl('x', 60)]);
  assert.deepEqual(used(quotas), [
    [60, 600],
    [10, 100],
  ]);
  assert.equal(quotas.spent('a'), null);
  await quotas.write();

  // Killed: after the start a crawl that is not up yet tells less than was added up.
  const after = await Quotas.open(folderDocuments(folder), owners, clock);
  after.look([crawl('x', 30)]);
  after.look([crawl('x', 70)]);
  assert.deepEqual(used(after)[0], [70, 700]);
  after.look([]);
  after.look([crawl('x', 30, { createdAtMs: 2 })]);
  assert.deepEqual(used(after)[0], [100, 1_000]);
  assert.match(after.spent('a')!, /its quota of 100 pages per day: it continues at 2026-11-26T00:00Z/);
  assert.equal(after.spent('b'), null);
  const refused = after.refusal('a', [], 1)!;
  assert.equal(refused.waitS, 12 * 3_600);
  assert.equal(after.refusal('b', [], 1), null);

  nowMs = Date.parse('2026-11-26T00:00:00Z');
  assert.equal(after.spent('a'), null);
  after.look([crawl('x', 31, { createdAtMs: 2 })]);
  assert.deepEqual(used(after)[0], [1, 10]);
});

test('bytes, hosts, concurrent crawls, kept crawls and weight are separate quotas', async () => {
  const clock = { nowMs: () => noon };
  const quotasWith = (more: object) => Quotas.open(folderDocuments(temporaryFolder()), ownersWith(more), clock);
  const bytes = await quotasWith({ bytesPerDay: 50 });
  bytes.look([crawl('x', 5)]);
  assert.match(bytes.spent('a')!, /its quota of 50 bytes/);
  const hosts = await quotasWith({ hostsMax: 3 });
  hosts.look([crawl('x', 1)]);
  assert.equal(hosts.spent('a'), null);
  hosts.look([crawl('x', 1), crawl('y', 1)]);
  assert.match(hosts.spent('a')!, /have 4 hosts, the limit is 3/);
  const few = await quotasWith({ crawlsMax: 1, keptMax: 2, weightMax: 2 });
  const rests = { state: 'ended' as const };
  assert.match(few.refusal('a', [crawl('x', 1)], 1)!.message, /a may run at most 1 crawl at once/);
  assert.match(few.refusal('a', [crawl('x', 1, rests), crawl('y', 1, rests)], 1)!.message, /may have at most 2 crawls/);
  assert.equal(few.refusal('a', [crawl('x', 1, rests), crawl('y', 1, rests)], null), null);
  assert.match(few.refusal('a', [], 3)!.message, /weight: .* at most 2 in total/);
  assert.equal(few.refusal('a', [], 2), null);
});

test('an owner’s calls refill steadily, do not affect other owners or the operator, and need the whole key', () => {
  let nowMs = noon;
  const callers = new Callers(ownersWith({ callsPerMinute: 60 }), 'operator-operator', { nowMs: () => nowMs });
  const enter = (key: string) => callers.enter(`Bearer ${key}`);
  for (const wrong of ['', env.A.slice(1), `${env.A}a`, env.A.toUpperCase(), `${env.A},${env.B}`])
    assert.deepEqual([enter(wrong).ok, callers.enter(wrong).ok], [false, false]);
  assert.equal(callers.enter(undefined).ok, false);
  const many = Array.from({ length: 10 }, () => enter(env.A));
  assert.equal(many.filter(({ ok }) => ok).length, 6);
  const last = many.at(-1)!;
  assert.deepEqual(last.ok ? null : [last.status, last.waitS], [429, 1]);
  assert.ok(enter(env.B).ok);
  const operator = enter('operator-operator');
  assert.ok(operator.ok && operator.caller === null);
  nowMs += 1_000;
  assert.deepEqual([enter(env.A).ok, enter(env.A).ok], [true, false]);
  // A clock that is set back gives nothing.
  nowMs -= 60_000;
  assert.equal(enter(env.A).ok, false);
});

test('a disk error for one owner does not block others, and is made up for once there is room', async () => {
  const folder = temporaryFolder();
  const documents = folderDocuments(folder);
  const clock = { nowMs: () => noon };
  const quotas = await Quotas.open(documents, ownersWith({}), clock);
  quotas.look([crawl('x', 40), crawl('y', 10, { owner: 'b' })]);
  // Where the file of the first is to be, nothing can be written.
  mkdirSync(join(folder, 'owners', 'a.json'), { recursive: true });
  for (const round of [1, 2]) await assert.rejects(quotas.write(true), /a\.json/, `${round}`);
  assert.equal((await readUsage(documents, 'b')).used.pages, 10);
  rmdirSync(join(folder, 'owners', 'a.json'));
  await quotas.write(true);
  assert.equal((await readUsage(documents, 'a')).used.pages, 40);
});

test('a call with a large body counts as several, and one that is dearer than all that may come at once takes all of it', () => {
  let nowMs = noon;
  const callers = new Callers(ownersWith({ callsPerMinute: 60 }), 'operator-operator', { nowMs: () => nowMs });
  const enter = (bodyBytes: number) => callers.enter(`Bearer ${env.A}`, bodyBytes).ok;
  assert.deepEqual([enter(3 * ownerLimits.callBytes), enter(0), enter(0), enter(0)], [true, true, true, false]);
  nowMs += 60_000;
  assert.deepEqual([enter(4 << 20), enter(0)], [true, false]);
});
