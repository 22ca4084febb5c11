/**
 * A watch over the event loop. The main thread sets its current subject, and counts beats; a separate thread notices
 * when the beats stop. A blocked loop is recorded on disk within a second, and after `loopLimits.stillMsMax` the
 * process is ended, so that its supervisor restarts it: code that never yields cannot be ended in any other way. The
 * next start reads from the note which subject blocked the loop.
 */
import { url as debuggerUrl } from 'node:inspector';
import type { Worker } from 'node:worker_threads';
import { loopLimits } from './loop-limits.ts';
import { judgeLoopNote, type LoopDeath, type LoopVerdict, readLoopNote, writeLoopNote } from './loop-note.ts';
import type { LoopSubject } from './loop-rounds.ts';
import type { LoopWatchStart } from './loop-watch-worker.ts';
import { startThread } from './start-thread.ts';

export type { LoopVerdict } from './loop-note.ts';

/** The code of sysexits.h for a failure that a retry may fix; no other end of a command has it. */
export const loopStoodExitCode = 75;

/** A subject for which the main thread works. */
export interface LoopMark {
  /** `act` must not return a promise: the work after an await would be blamed on other subjects. */
  run<T>(act: () => T): T;
  leave(): void;
}

/** A mark for subjects without a watch. */
export const unwatched: LoopMark = { run: (act) => act(), leave() {} };

const fromSource = import.meta.url.endsWith('.ts');
const workerUrl = new URL(fromSource ? './loop-watch-worker.ts' : './loop-watch-worker.js', import.meta.url);

export class LoopWatch {
  /** The verdict on the last process. */
  readonly verdict: LoopVerdict;
  readonly #path: string;
  readonly #words = new Int32Array(new SharedArrayBuffer(8));
  #worker: Worker | undefined;
  #timer: NodeJS.Timeout | undefined;
  #number = 0;

  /** `path`: path of the note. Nothing is watched until `start`. */
  constructor(path: string) {
    this.#path = path;
    this.verdict = judgeLoopNote(readLoopNote(path));
  }

  /**
   * Starts the watch, and renews the note. Call once the consequences of the verdict are durable. Resolves once the
   * thread watches. `onFailure`: called if the thread fails.
   */
  async start(onFailure: (error: Error) => void): Promise<void> {
    const deaths = [...this.verdict.deaths];
    if (this.verdict.how !== null) writeLoopNote(this.#path, { format: 1, state: null, stood: null, deaths });
    // A debugger stops the loop on purpose, so nothing is watched under one.
    if (debuggerUrl() !== undefined) return;
    const worker = this.#startWorker(deaths);
    this.#worker = worker;
    worker.unref();
    this.#timer = setInterval(() => Atomics.add(this.#words, 0, 1), loopLimits.beatMs);
    this.#timer.unref();
    const failed = new Promise<void>((resolve) => {
      worker.on('error', (error) => {
        onFailure(error as Error);
        resolve();
      });
    });
    await Promise.race([failed, new Promise<void>((resolve) => worker.once('message', () => resolve()))]);
  }

  join(subject: string): LoopMark {
    const [words, number] = [this.#words, ++this.#number];
    this.#report({ number, subject });
    return {
      run(act) {
        const before = Atomics.exchange(words, 1, number);
        try {
          return act();
        } finally {
          Atomics.store(words, 1, before);
        }
      },
      leave: () => this.#report({ number, subject: null }),
    };
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#worker?.terminate();
  }

  #report(message: LoopSubject): void {
    this.#worker?.postMessage(message);
  }

  #startWorker(deaths: readonly LoopDeath[]): Worker {
    const workerData: LoopWatchStart = {
      ...{
        words: this.#words.buffer,
        path: this.#path,
        deaths,
        limits: { ...loopLimits },
        exitCode: loopStoodExitCode,
      },
    };
    return startThread(workerUrl, { workerData });
  }
}
