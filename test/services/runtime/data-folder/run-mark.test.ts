import assert from 'node:assert/strict';
import { existsSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { DataFolder } from '../../../../services/runtime/data-folder/data-folder.ts';
import { hasEnded, nameOfThisProcess } from '../../../../services/runtime/data-folder/named-process.ts';
import { activityOf, markedAsRunning, silentMsMax } from '../../../../services/runtime/data-folder/run-mark.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';

const nowMs = Date.UTC(2026, 0, 2);

function newFolder() {
  const path = temporaryFolder();
  const part = (name: string) => join(path, name);
  return { folder: { path, part } as DataFolder, log: part('log'), mark: part('running') };
}

/** Sleeps by hand. */
function handClock() {
  let atMs = nowMs;
  let wake = () => {};
  let isAsleep = false;
  return {
    nowMs: () => atMs,
    /** Who is at work when time passes finds out of it later only. */
    isAsleep: () => isAsleep,
    sleepUntil: (untilMs: number, signal?: AbortSignal) =>
      new Promise<void>((resolve) => {
        isAsleep = true;
        wake = () => {
          if (atMs < untilMs) return;
          isAsleep = false;
          resolve();
        };
        if (signal?.aborted) resolve();
        signal?.addEventListener('abort', () => resolve(), { once: true });
      }),
    advance(ms: number) {
      atMs += ms;
      wake();
    },
  };
}

async function until(what: () => Promise<boolean>): Promise<void> {
  const untilMs = Date.now() + 60_000;
  while (!(await what())) {
    assert.ok(Date.now() < untilMs, 'nothing changed in 60 s');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

test('a folder counts as running while a process writes its sign of life, and not after that process has ended', async () => {
  const { folder, log, mark } = newFolder();
  const clock = handClock();
  const isRunning = async () => (await activityOf(folder, log, clock.nowMs())).isRunning;
  assert.equal(await isRunning(), false, 'nobody has begun');
  await markedAsRunning(folder, clock, async () => {
    await until(isRunning);
    await until(async () => clock.isAsleep());
    clock.advance(silentMsMax + 1);
    await until(isRunning);
  });
  assert.equal(await isRunning(), false);
  assert.ok(!existsSync(mark));
});

test('a killed process counts as gone once its last sign of life is too old, not before', async () => {
  const { folder, log, mark } = newFolder();
  writeFileSync(mark, '');
  utimesSync(mark, nowMs / 1000, nowMs / 1000);
  assert.equal((await activityOf(folder, log, nowMs + silentMsMax)).isRunning, true);
  assert.equal((await activityOf(folder, log, nowMs + silentMsMax + 1)).isRunning, false);
});

/** The name of a process that has ended: no system gives such a number. */
async function nameOfEnded(): Promise<string> {
  return (await nameOfThisProcess()).replace(/^\d+/, '999999999');
}

test('a killed process of this machine counts as gone at once, and the process that goes on does not', async () => {
  const { folder, log, mark } = newFolder();
  const clock = handClock();
  const activity = () => activityOf(folder, log, clock.nowMs());
  writeFileSync(mark, await nameOfEnded());
  utimesSync(mark, nowMs / 1000, nowMs / 1000);
  const { isRunning, silentMs } = await activity();
  assert.deepEqual([isRunning, silentMs], [false, null]);
  await markedAsRunning(folder, clock, async () => {
    await until(async () => (await activity()).isRunning);
    await until(async () => clock.isAsleep());
    assert.equal((await activity()).silentMs, 0);
    clock.advance(1_500);
    assert.equal((await activity()).silentMs, 1_500);
  });
});

test('a process of another machine or container, or of an earlier release, counts as gone by its silence only', async () => {
  const { folder, log, mark } = newFolder();
  const ended = await nameOfEnded();
  assert.equal(await hasEnded(ended), true);
  assert.equal(await hasEnded(await nameOfThisProcess()), false);
  for (const text of [ended.replace('\n', 'x\n'), ended.trimEnd(), `0${ended}`, '', '-1 -\n']) {
    assert.equal(await hasEnded(text), false, text);
    writeFileSync(mark, text);
    utimesSync(mark, nowMs / 1000, nowMs / 1000);
    assert.equal((await activityOf(folder, log, nowMs + silentMsMax)).isRunning, true, text);
    assert.equal((await activityOf(folder, log, nowMs + silentMsMax + 1)).isRunning, false, text);
  }
});

test('a crawl goes on if it cannot write its sign of life', async () => {
  const { folder, mark } = newFolder();
  mkdirSync(mark);
  assert.equal(await markedAsRunning(folder, handClock(), async () => 7), 7);
});

test('a folder’s last write is that of its rows, not of a read-only open', async () => {
  const { folder, log } = newFolder();
  assert.equal((await activityOf(folder, log, nowMs)).lastWrittenMs, null);
  mkdirSync(log);
  for (const [name, atMs] of [
    ['000004.log', nowMs - 60_000],
    ['000003.sst', nowMs - 90_000],
    ['LOG', nowMs],
    ['LOCK', nowMs],
  ] as const) {
    writeFileSync(join(log, name), '');
    utimesSync(join(log, name), atMs / 1000, atMs / 1000);
  }
  assert.equal((await activityOf(folder, log, nowMs)).lastWrittenMs, nowMs - 60_000);
});
