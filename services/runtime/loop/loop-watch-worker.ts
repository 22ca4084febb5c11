/**
 * The thread that watches the event loop of the main thread (loop-watch.ts). It counts its rounds, not the time of day:
 * after a sleep of the machine or a stop of the process, the loop does not count as blocked.
 */
import { Session } from 'node:inspector';
import { parentPort, workerData } from 'node:worker_threads';
import { type LoopDeath, writeLoopNote } from './loop-note.ts';
import { LoopRounds, type LoopSubject } from './loop-rounds.ts';

export interface LoopWatchStart {
  /** [0] counts the beats of the main thread; [1] is the number of the subject it works for, 0: none. */
  readonly words: SharedArrayBuffer;
  readonly path: string;
  readonly deaths: readonly LoopDeath[];
  readonly limits: Readonly<Record<'beatMs' | 'notedMs' | 'stillMsMax' | 'exitMs', number>>;
  readonly exitCode: number;
}

const { words, path, deaths, limits, exitCode } = workerData as LoopWatchStart;
const shared = new Int32Array(words);
const rounds = new LoopRounds(limits);

parentPort?.on('message', (message: LoopSubject) => rounds.report(message));
setInterval(look, limits.beatMs);
parentPort?.postMessage('ready');

function look(): void {
  const news = rounds.look(Atomics.load(shared, 0), Atomics.load(shared, 1));
  if (news === 'noted') note('standing');
  else if (news === 'running') note(null);
  else if (news === 'ended') end();
}

function note(state: 'standing' | 'ended' | null): void {
  const stood = state === null ? null : { subject: rounds.culprit, atMs: Date.now() };
  try {
    writeLoopNote(path, { format: 1, state, stood, deaths: [...deaths] });
  } catch {
    // On a full disk, the process ends without a record: still better than a process that never answers.
  }
}

/** Code that never yields runs no handler of a signal: only the inspector's interrupt, or the system, ends it. */
function end(): void {
  note('ended');
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), limits.exitMs);
  const session = new Session();
  session.connectToMainThread();
  session.post('Runtime.evaluate', { expression: `process.reallyExit(${exitCode})` });
}
