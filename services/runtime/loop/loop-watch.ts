/**
 * A watch over the event loop. The main thread says whom it works for and beats; a thread of its own sees the beat stand still. Such
 * a loop is noted on disk within a second, and after `loopLimits.stillMsMax` the process is ended, so that its supervisor starts it
 * again: code that never yields can be ended in no other way. The next start reads from the note whom the loop stood for.
 */
import { url as debuggerUrl } from 'node:inspector';
import { Worker } from 'node:worker_threads';
import { loopLimits } from './loop-limits.ts';
import { judgeLoopNote, type LoopDeath, type LoopVerdict, readLoopNote, writeLoopNote } from './loop-note.ts';
import type { LoopSubject, LoopWatchStart } from './loop-watch-worker.ts';

export type { LoopVerdict } from './loop-note.ts';

/** sysexits.h has it for a failure that is over once one tries again: no other end of a command has it. */
export const loopStoodExitCode = 75;

/** Somebody for whom the main thread works. */
export interface LoopMark {
  /** `act` does not return a promise: what it awaited would be put down to others. */
  run<T>(act: () => T): T;
  leave(): void;
}

/** Subjects without an observer. */
export const unwatched: LoopMark = { run: (act) => act(), leave() {} };

const fromSource = import.meta.url.endsWith('.ts');
const workerUrl = new URL(fromSource ? './loop-watch-worker.ts' : './loop-watch-worker.js', import.meta.url);

export class LoopWatch {
  /** What the last process left. */
  readonly verdict: LoopVerdict;
  readonly #path: string;
  readonly #words = new Int32Array(new SharedArrayBuffer(8));
  #worker: Worker | undefined;
  #timer: NodeJS.Timeout | undefined;
  #number = 0;

  /** `path`: of its note. Nothing is watched until `start`. */
  constructor(path: string) {
    this.#path = path;
    this.verdict = judgeLoopNote(readLoopNote(path));
  }

  /** Once what the verdict asks for is durable: the note is made new. Resolves once the thread watches. `onFailure`: none does. */
  async start(onFailure: (error: Error) => void): Promise<void> {
    const deaths = [...this.verdict.deaths];
    if (this.verdict.how !== null) writeLoopNote(this.#path, { format: 1, state: null, stood: null, deaths });
    // Who halts a program in a debugger stops its loop, and means to.
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
    // Node hands loaders of the main thread on to workers only in part: TypeScript sources need theirs registered.
    const load = `import('tsx/esm/api').then(({ register }) => { register(); return import(${JSON.stringify(workerUrl.href)}); })`;
    return fromSource
      ? new Worker(load, { workerData, execArgv: [], eval: true })
      : new Worker(workerUrl, { workerData, execArgv: [] });
  }
}
