/**
 * Coverage-guided fuzzing of one target in this thread: inputs that reach something new are kept and changed further.
 *
 * A finding is an error that is none of ours (a bug), a broken promise that the target checks, or CPU time beyond what
 * an input of that size may cost. A run that never ends, or runs out of memory, is noticed by whoever watches this thread
 * (run-target.ts), who is told of each input before it is tried.
 */

import { numbers } from '../../lab/web/random.ts';
import { CrawlstreamError } from '../../topology/errors.ts';
import { Coverage } from './coverage.ts';
import { mutated } from './mutate.ts';
import type { Target } from './targets.ts';

export interface FuzzOptions {
  readonly seed: number;
  /** Ends after so many tries, or after so many ms. */
  readonly tries: number;
  readonly forMs: number;
  /** Inputs that earlier runs kept. */
  readonly corpus: readonly Buffer[];
  /** CPU time that one try may take, ms. */
  readonly cpuMsMax: number;
  readonly isOurs: (url: string) => boolean;
  /** Ends with so many findings. Absent: 10. */
  readonly findingsMax?: number;
  /** Told before each try. */
  readonly onTry?: (input: Buffer) => void;
}

export interface Finding {
  readonly what: string;
  readonly input: Buffer;
}

export interface Fuzzed {
  readonly tries: number;
  /** What reached something new, in order. */
  readonly kept: readonly Buffer[];
  readonly blocks: number;
  readonly slowestMs: number;
  readonly findings: readonly Finding[];
}

/** Coverage is asked for so many tries together: it costs as much as some of them. */
const together = 25;

export async function fuzz(target: Target, options: FuzzOptions): Promise<Fuzzed> {
  const { forMs, cpuMsMax, onTry, findingsMax = 10 } = options;
  const next = numbers(options.seed);
  const coverage = new Coverage(options.isOurs);
  const kept: Buffer[] = [];
  const findings = new Map<string, Finding>();
  const words = (target.words ?? []).map((word) => Buffer.from(word, 'latin1'));
  let tries = 0;
  let slowestMs = 0;

  const attempt = async (input: Buffer) => {
    tries += 1;
    onTry?.(input);
    const before = process.cpuUsage();
    let what: string | undefined;
    try {
      await target.run(input);
    } catch (error) {
      if (!(error instanceof CrawlstreamError)) what = firstLines(error);
    }
    const { user, system } = process.cpuUsage(before);
    const cpuMs = (user + system) / 1000;
    slowestMs = Math.max(slowestMs, cpuMs);
    if (what === undefined && cpuMs > cpuMsMax) what = `took ${Math.round(cpuMs)} ms of CPU for ${input.length} bytes`;
    if (what !== undefined && !findings.has(kindOf(what))) findings.set(kindOf(what), { what, input });
  };
  const keepIfNew = async (input: Buffer) => {
    coverage.skip();
    await attempt(input);
    if (coverage.news() > 0) kept.push(input);
  };

  for (const input of [...target.seeds, ...options.corpus]) await keepIfNew(input);
  const untilMs = performance.now() + forMs;
  while (tries < options.tries && performance.now() < untilMs && findings.size < findingsMax) {
    const batch = Array.from({ length: together }, () => {
      // The newest are the least explored.
      const from = next() % 2 === 0 ? kept.at(-1 - (next() % Math.min(16, Math.max(1, kept.length)))) : undefined;
      const input = from ?? kept[next() % Math.max(1, kept.length)] ?? Buffer.alloc(0);
      return mutated(input, next, words, kept);
    });
    coverage.skip();
    for (const input of batch) await attempt(input);
    const ran = coverage.ran();
    if (!coverage.hasNews(ran)) continue;
    for (const input of batch) await keepIfNew(input);
    coverage.add(ran);
  }
  const blocks = coverage.size;
  coverage.close();
  return { tries, kept, blocks, slowestMs, findings: [...findings.values()] };
}

function firstLines(error: unknown): string {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return text.split('\n').slice(0, 6).join('\n');
}

/** One bug shows itself in many inputs: by where it is thrown, or that it takes long. */
function kindOf(what: string): string {
  return what.startsWith('took ') ? 'took' : (/\n\s+at .*/.exec(what)?.[0] ?? what);
}
