/** The note of a blocked loop on disk, and the verdict of the next start on it. */
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { loopLimits } from '../../../../services/runtime/loop/loop-limits.ts';
import {
  judgeLoopNote,
  type LoopNote,
  readLoopNote,
  writeLoopNote,
} from '../../../../services/runtime/loop/loop-note.ts';
import { LoopWatch, unwatched } from '../../../../services/runtime/loop/loop-watch.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';

const empty: LoopNote = { format: 1, state: null, stood: null, deaths: [] };
const death = (subject: string | null, atMs: number) => ({ subject, atMs });

test('a note is read as it was written, by its owner alone, and leaves no other file', () => {
  const folder = temporaryFolder();
  const path = join(folder, 'note.json');
  const note: LoopNote = { format: 1, state: 'ended', stood: death('a', 5), deaths: [death(null, 1), death('b', 2)] };
  writeLoopNote(path, note);
  assert.deepEqual(readLoopNote(path), note);
  writeLoopNote(path, empty);
  assert.deepEqual(readLoopNote(path), empty);
  assert.deepEqual(readdirSync(folder), ['note.json']);
  assert.equal(statSync(path).mode & 0o777, 0o600);
  assert.ok(readFileSync(path, 'utf8').endsWith('}\n'));
});

test('a note that is missing, cut or of another format is empty', () => {
  const folder = temporaryFolder();
  const path = join(folder, 'note.json');
  assert.deepEqual(readLoopNote(path), empty);
  for (const text of ['', '{"format":1', '{"format":2,"state":null,"stood":null,"deaths":[]}', '{"format":1}']) {
    writeFileSync(path, text);
    assert.deepEqual(readLoopNote(path), empty, text);
  }
  mkdirSync(join(folder, 'folder'));
  assert.throws(() => writeLoopNote(join(folder, 'none', 'note.json'), empty), { code: 'ENOENT' });
  assert.throws(() => writeLoopNote(join(folder, 'folder'), empty));
});

test('a process that died while its loop ran blames nobody, and keeps the earlier deaths', () => {
  const deaths = [death('a', 1)];
  assert.deepEqual(judgeLoopNote({ ...empty, deaths }), { how: null, subject: null, atMs: 0, deaths });
  const half = { how: null, subject: null, atMs: 0, deaths: [] };
  assert.deepEqual(judgeLoopNote({ ...empty, state: 'standing' }), half);
  assert.deepEqual(judgeLoopNote({ ...empty, stood: death('a', 1) }), half);
});

test('a subject is blamed for the end of its process, or for a second death soon after the first', () => {
  const atMs = 10_000_000;
  const how = (state: 'standing' | 'ended', deaths: LoopNote['deaths'], subject: string | null = 'a') =>
    judgeLoopNote({ format: 1, state, stood: death(subject, atMs), deaths });
  assert.deepEqual(how('ended', []), { how: 'ended', subject: 'a', atMs, deaths: [death('a', atMs)] });
  assert.deepEqual(how('standing', []), { how: 'died', subject: 'a', atMs, deaths: [death('a', atMs)] });
  const soon = atMs - loopLimits.deathsMs;
  assert.equal(how('standing', [death('a', soon)]).how, 'diedTwice');
  assert.equal(how('standing', [death('a', atMs + loopLimits.deathsMs)]).how, 'diedTwice', 'the clock was set');
  assert.equal(how('standing', [death('a', soon - 1)]).how, 'died');
  assert.equal(how('standing', [death('b', soon)]).how, 'died');
  assert.equal(how('standing', [death(null, soon)], null).how, 'died', 'nobody knows the subject');
  const many = Array.from({ length: loopLimits.deathsMax }, (_, n) => death(`${n}`, n));
  assert.deepEqual(how('ended', many).deaths, [...many.slice(1), death('a', atMs)]);
});

test('a watch has the verdict on the last process, and starts with a note that blames nobody', async () => {
  const path = join(temporaryFolder(), 'note.json');
  writeLoopNote(path, { format: 1, state: 'ended', stood: death('a', 5), deaths: [] });
  const watch = new LoopWatch(path);
  assert.deepEqual([watch.verdict.how, watch.verdict.subject], ['ended', 'a']);
  assert.equal(readLoopNote(path).state, 'ended', 'until the consequences are durable');
  await watch.start(assert.ifError);
  assert.deepEqual(readLoopNote(path), { ...empty, deaths: [death('a', 5)] });
  await watch.close();
});

test('a subject that is marked gets the result or the error of its work', async () => {
  const watch = new LoopWatch(join(temporaryFolder(), 'note.json'));
  for (const mark of [unwatched, watch.join('a')]) {
    assert.equal(
      mark.run(() => mark.run(() => 7)),
      7,
    );
    assert.throws(
      () =>
        mark.run(() => {
          throw new Error('mine');
        }),
      /mine/,
    );
    mark.leave();
  }
  await watch.close();
});
