/**
 * The thread that watches the event loop of the main thread (loop-watch.ts). It counts its rounds, not the time of day:
 * after a sleep of the machine or a stop of the process, the loop does not count as blocked.
 */
import { Session } from 'node:inspector';
import { parentPort, workerData } from 'node:worker_threads';
import { type LoopDeath, writeLoopNote } from './loop-note.ts';

export interface LoopWatchStart {
  /** [0] counts the beats of the main thread; [1] is the number of the subject it works for, 0: none. */
  readonly words: SharedArrayBuffer;
  readonly path: string;
  readonly deaths: readonly LoopDeath[];
  readonly limits: Readonly<Record<'beatMs' | 'notedMs' | 'stillMsMax' | 'exitMs', number>>;
  readonly exitCode: number;
}

export interface LoopSubject {
  readonly number: number;
  /** null: it is gone. */
  readonly subject: string | null;
}

const { words, path, deaths, limits, exitCode } = workerData as LoopWatchStart;
const shared = new Int32Array(words);
const subjects = new Map<number, string>();
/** Consecutive rounds without a beat, by the subject of the main thread's work. */
const rounds = new Map<number, number>();
let [lastBeat, isNoted, isEnding] = [0, false, false];

parentPort?.on('message', ({ number, subject }: LoopSubject) => {
  if (subject === null) subjects.delete(number);
  else subjects.set(number, subject);
});
setInterval(look, limits.beatMs);
parentPort?.postMessage('ready');

function look(): void {
  const beat = Atomics.load(shared, 0);
  if (isEnding) return;
  if (beat !== lastBeat) {
    lastBeat = beat;
    rounds.clear();
    if (isNoted) note(null);
    isNoted = false;
    return;
  }
  const number = Atomics.load(shared, 1);
  rounds.set(number, (rounds.get(number) ?? 0) + 1);
  const stillMs = limits.beatMs * [...rounds.values()].reduce((sum, one) => sum + one, 0);
  if (stillMs >= limits.stillMsMax) end();
  else if (!isNoted && stillMs >= limits.notedMs) {
    isNoted = true;
    note('standing');
  }
}

/** The subject of more than half of the rounds; null: none. */
function culprit(): string | null {
  const all = [...rounds.values()].reduce((sum, one) => sum + one, 0);
  const found = [...rounds].find(([number, count]) => number !== 0 && count * 2 > all);
  return (found && subjects.get(found[0])) ?? null;
}

function note(state: 'standing' | 'ended' | null): void {
  const stood = state === null ? null : { subject: culprit(), atMs: Date.now() };
  try {
    writeLoopNote(path, { format: 1, state, stood, deaths: [...deaths] });
  } catch {
    // On a full disk, the process ends without a record: still better than a process that never answers.
  }
}

/** Code that never yields runs no handler of a signal: only the inspector's interrupt, or the system, ends it. */
function end(): void {
  isEnding = true;
  note('ended');
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), limits.exitMs);
  const session = new Session();
  session.connectToMainThread();
  session.post('Runtime.evaluate', { expression: `process.reallyExit(${exitCode})` });
}
