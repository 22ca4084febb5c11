/**
 * One race: two calls about a crawl, while it is deleted and another owner makes a crawl of its name.
 *
 * All calls reach their handlers before the new crawl can be made: none may do anything to it, or show anything of it.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { CrawlFile } from '../../../../../services/extras/fleet/crawl-file.ts';
import { controlEvents } from '../../../../../services/runtime/crawl/control-log.ts';
import { until } from '../../../until.ts';
import { type Answer, type Call, type DeclaredRoute, type FleetHere, operator } from './fleet-here.ts';
import { racedCall } from './raced-call.ts';

export interface Race {
  readonly name: string;
  readonly first: DeclaredRoute;
  readonly second: DeclaredRoute;
  /** Calls that reach the fleet before the DELETE: 0 to 2. */
  readonly before: number;
  /** What the crawl does when the calls come. */
  readonly state: 'running' | 'paused' | 'ended';
  /** Who makes both calls: the owner of the crawl, or the operator. */
  readonly caller: string;
  readonly owner: string;
  /** Another, or the same. */
  readonly newOwner: string;
  readonly urls: { readonly before: string; readonly new: string };
}

/** Held against what is found at the end, and after a restart. */
export interface Expected {
  readonly name: string;
  readonly owner: string;
  readonly incarnation: string;
  readonly maxDepth: number;
}

/** `maxDepth` of the policies: they tell the two crawls apart. */
const depths = { before: 30_000, new: 40_000 };

export async function race(fleet: FleetHere, folder: string, one: Race): Promise<Expected> {
  const { name, caller, owner, newOwner, urls } = one;
  const before = await prepared(fleet, one);
  const calls: Call[] = [];
  let deleting: Call | undefined;
  const remove = async () => {
    deleting = fleet.call(owner, 'DELETE', `/v1/crawls/${name}`);
    await deleting.entered;
  };
  for (const [n, route] of [one.first, one.second].entries()) {
    if (n === one.before) await remove();
    const { method, path, body } = racedCall(route, { name, url: urls.before });
    const call = fleet.call(caller, method, path, body);
    calls.push(call);
    await call.entered;
  }
  if (deleting === undefined) await remove();
  const made = await createdOnceFree(fleet, one);
  const deleted = await deleting!.answer;
  assert.ok([204, 404].includes(deleted.status), `DELETE: ${textOf(deleted)}`);
  // A stream ends once its crawl is gone; one of another crawl would not.
  const answers = await Promise.all(calls.map(({ answer }) => answer));
  for (const [n, answer] of answers.entries()) assertTrue([one.first, one.second][n]!, answer, one);
  await until(() => fleet.parts.fleet.find(name)?.state === 'running');
  const file = fleet.parts.fleet.file(name)!;
  const isOurs = made.status === 201;
  if (isOurs) await assertUntouched(fleet, name);
  const expected = {
    ...{ name, owner: isOurs ? newOwner : caller === operator ? '' : caller, incarnation: file.incarnation! },
    maxDepth: isOurs ? depths.new : (file.policy['maxDepth'] as number),
  };
  assert.notEqual(expected.incarnation, before.incarnation, 'it is the crawl of before');
  assertRunning(file, expected);
  assertRunning(storedFile(folder, name), expected);
  return expected;
}

/** Holds what a fleet knows of a crawl, or has on disk, against what must be, while it runs. */
function assertRunning(file: CrawlFile, expected: Expected): void {
  assertSame(file, expected);
  assert.equal(file.wish, 'running');
}

/** The same of a crawl that may have ended meanwhile. */
export function assertSame({ name, owner, incarnation, policy }: CrawlFile, expected: Expected): void {
  assert.deepEqual({ name, owner, incarnation, maxDepth: policy['maxDepth'] }, expected);
}

export function storedFile(folder: string, name: string): CrawlFile {
  return JSON.parse(readFileSync(join(folder, 'fleet', 'crawls', name, 'fleet.json'), 'utf8')) as CrawlFile;
}

/** A crawl with a page or more, in the state that the race is about. */
async function prepared({ call, parts }: FleetHere, { name, owner, state, urls }: Race): Promise<CrawlFile> {
  const policy = { delayMs: 100, delayFactor: 0, maxDepth: depths.before };
  const output = { warc: true, markdown: false };
  const made = await call(owner, 'POST', '/v1/crawls', { seeds: [urls.before], name, policy, output }).answer;
  assert.equal(made.status, 201, textOf(made));
  await until(() => (parts.fleet.find(name)?.counts.pages ?? 0) > 0);
  const verb = { running: undefined, paused: 'pause', ended: 'end' }[state];
  if (verb !== undefined) {
    const done = await call(owner, 'POST', `/v1/crawls/${name}/${verb}`).answer;
    assert.equal(done.status, 200, textOf(done));
  }
  return parts.fleet.file(name)!;
}

/** The name is free once the DELETE is done, or taken by a raced call that creates a crawl. */
async function createdOnceFree({ call }: FleetHere, { name, newOwner, urls, first, second }: Race): Promise<Answer> {
  const body = { seeds: [urls.new], name, policy: { delayMs: 100, delayFactor: 0, maxDepth: depths.new } };
  const isRaced = [first, second].some(({ method, path }) => method === 'POST' && path === '/v1/crawls');
  const untilMs = performance.now() + (isRaced ? 3_000 : 60_000);
  for (;;) {
    const answer = await call(newOwner, 'POST', '/v1/crawls', body).answer;
    if (answer.status === 201) return answer;
    // A crawl that is being deleted counts until it has ended.
    assert.match(textOf(answer), /a crawl .* already exists|may run at most \d+ crawls? at once/);
    if (performance.now() > untilMs) {
      assert.ok(isRaced, `the name ${name} does not become free`);
      return answer;
    }
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

/** A refusal names what is so, and nothing of the new crawl is in an answer. */
function assertTrue(route: DeclaredRoute, answer: Answer, { urls }: Race): void {
  const said = `${route.method} ${route.path}: ${textOf(answer)}`;
  assert.ok(answer.status < 500, said);
  const text = answer.headers.get('content-type') === 'application/warc' ? unzipped(answer.body) : answer.body;
  assert.ok(!text.includes(new URL(urls.new).hostname), `of the new crawl: ${said}`);
}

function unzipped(body: Buffer): Buffer {
  try {
    return gunzipSync(body);
  } catch {
    // A connection that broke.
    return Buffer.alloc(0);
  }
}

/** Nobody has done anything to it, and nobody has given it an order. */
async function assertUntouched({ parts }: FleetHere, name: string): Promise<void> {
  const { changes } = parts.fleet.file(name)!;
  assert.deepEqual(
    changes.map(({ kind }) => kind),
    ['created'],
  );
  const { log, codec, crawl } = parts.fleet.reads(name)!;
  const kinds: string[] = [];
  const { start, end } = await log.offsets(`${crawl}.control`, 0);
  for await (const { event } of controlEvents(log, codec, crawl, 0, start, end)) kinds.push(event.kind);
  assert.deepEqual(
    kinds.filter((kind) => kind !== 'manifest'),
    ['policy'],
  );
}

function textOf({ status, body }: Answer): string {
  return `${status} ${body.toString('latin1').slice(0, 500)}`;
}
