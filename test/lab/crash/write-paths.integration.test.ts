/** Each way of keeping files, on a file system that takes parts of writes; what is synced, and when, is noted beneath the program. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { compileShim } from '../../../lab/crash/store-files-run.ts';
import { temporaryFolder } from '../../services/runtime/store/temporary-folder.ts';

const program = fileURLToPath(new URL('../../../lab/crash/write-paths.ts', import.meta.url));
const shim = compileShim(temporaryFolder(), 'hostile.c');
const skip = shim === undefined && 'needs Linux and a C compiler';

interface Step {
  readonly what: string;
  readonly path: string;
  readonly to: string;
}

/** What a power cut could take of what a way said is kept. */
function notDurable(steps: readonly Step[], folder: string): string[] {
  const found: string[] = [];
  const last = (from: number, matches: (step: Step) => boolean) =>
    steps.reduce((at, step, index) => (index >= from && matches(step) ? index : at), -1);
  for (const [at, { what, path, to }] of steps.entries()) {
    if (what !== 'name' && what !== 'write') continue;
    const isGone = last(at, (step) => step.what === 'gone' && step.path === (to || path)) > at;
    if (isGone) continue;
    if (what === 'name') {
      const written = steps.findLastIndex((step, index) => index < at && step.what === 'write' && step.path === path);
      const synced = steps.findLastIndex((step, index) => index < at && step.what === 'sync' && step.path === path);
      if (written > synced) found.push(`${to} had its name before its bytes were synced`);
    }
    const now = what === 'name' ? to : path;
    if (last(at, (step) => step.what === 'name' && step.path === now) > at) continue;
    if (what === 'write' && last(at, (step) => step.what === 'sync' && step.path === now) < at)
      found.push(`${now} is not synced`);
    if (what === 'name' && last(at, (step) => step.what === 'folder' && step.path === dirname(now)) < at)
      found.push(`the folder of ${now} is not synced`);
    if (what === 'write' && !steps.some((step) => step.what === 'folder' && step.path === dirname(now)))
      found.push(`the folder of ${now} is not synced`);
  }
  return [...new Set(found)].map((one) => one.replaceAll(`${folder}/`, ''));
}

/** `isHostile`: without it, the file system is the machine's own. */
function started(isHostile: boolean, plant?: string) {
  const folder = temporaryFolder();
  const log = join(temporaryFolder(), 'log');
  const hostile = { LD_PRELOAD: shim, HOSTILE: folder, HOSTILE_LOG: log, UV_USE_IO_URING: '0' };
  const child = spawnSync(process.execPath, ['--import', 'tsx', program, folder], {
    encoding: 'utf8',
    env: { ...process.env, ...(isHostile && hostile), ...(plant !== undefined && { PLANT: plant }) },
  });
  assert.equal(child.status, 0, child.stderr);
  const ways = child.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<'failed' | 'folder' | 'name', string>);
  return { ways, log };
}

function sizesIn(folder: string): number[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => statSync(join(parentPath, name)).size)
    .sort((a, b) => a - b);
}

function run(plant?: string): string[] {
  const whole = new Map(started(false, plant).ways.map(({ name, folder }) => [name, sizesIn(folder)]));
  const { ways, log } = started(true, plant);
  assert.ok(ways.length >= (plant === undefined ? 20 : 1));
  const steps = readFileSync(log, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => line.split('\t') as [string, string, string])
    .map(([what, path, to]) => ({ what, path, to }));
  return ways.flatMap(({ name, folder, failed }) => {
    const wrong = failed === '' ? [] : [failed];
    if (`${sizesIn(folder)}` !== `${whole.get(name)}`) wrong.push(`${sizesIn(folder)} bytes of ${whole.get(name)}`);
    const ofWay = steps.filter(
      ({ path, to }) => path.startsWith(`${folder}/`) || to.startsWith(`${folder}/`) || path === folder,
    );
    return [...wrong, ...notDurable(ofWay, folder)].map((one) => `${name}: ${one}`);
  });
}

test('every way of keeping a file writes all bytes, and makes bytes and name durable', { skip }, () => {
  assert.deepEqual(run(), []);
});

test('a write, an append or a rename that goes around the shared functions is found by what it does to files', {
  skip,
}, () => {
  for (const plant of ['write', 'append', 'rename', 'short']) assert.notDeepEqual(run(plant), [], plant);
});
