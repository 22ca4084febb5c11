/** What a test process says to the runner that started it: a JSON line for each test that has ended, and one at its end. */

import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { TestEvent as NodeTestEvent } from 'node:test/reporters';
import { fileURLToPath } from 'node:url';
import { root } from './files.ts';

export interface TestResult {
  readonly kind: 'pass' | 'fail' | 'skip';
  readonly file: string;
  /** Its own, and those of the suites it is in. */
  readonly name: string;
  readonly ms: number;
  /** Of the processor, by this process since the test that ended before. */
  readonly cpuMs: number;
  /** Why it failed or was skipped. */
  readonly why: string;
}

/** The last line of a test process. */
export interface ProcessEnd {
  readonly kind: 'end';
  /** Of the processor, by the process and, on Linux, by its children that have ended. */
  readonly cpuMs: number;
}

export default async function* report(events: AsyncIterable<NodeTestEvent>): AsyncGenerator<string> {
  const path: string[] = [];
  let usedMs = cpuMs();
  for await (const event of events) {
    if (event.type === 'test:start') path[event.data.nesting] = event.data.name;
    if (event.type !== 'test:pass' && event.type !== 'test:fail') continue;
    const { name, nesting, details, file = '', skip } = event.data;
    // A suite that was left out stands for its tests.
    if (details.type === 'suite' && event.type === 'test:pass' && skip === undefined) continue;
    // A suite whose tests failed has nothing of its own to say.
    const error = event.type === 'test:fail' ? event.data.details.error : undefined;
    if ((error as { failureType?: string } | undefined)?.failureType === 'subtestsFailed') continue;
    const nowMs = cpuMs();
    const reported: TestResult = {
      kind: event.type === 'test:fail' ? 'fail' : skip === undefined ? 'pass' : 'skip',
      file: relative(root, file.startsWith('file:') ? fileURLToPath(file) : file),
      name: [...path.slice(0, nesting), name].join(' > '),
      ms: details.duration_ms,
      cpuMs: nowMs - usedMs,
      why: error === undefined ? (typeof skip === 'string' ? skip : '') : textOf(error),
    };
    usedMs = nowMs;
    yield `${JSON.stringify(reported)}\n`;
  }
  const end: ProcessEnd = { kind: 'end', cpuMs: cpuMs() + childrenMs() };
  yield `${JSON.stringify(end)}\n`;
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** proc(5): fields 16 and 17 of `stat`, in hundredths of a second. */
function childrenMs(): number {
  if (process.platform !== 'linux') return 0;
  const behindName = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)!.split(' ');
  return 10 * (Number(behindName[13]) + Number(behindName[14]));
}

function textOf(error: Error): string {
  const cause = error.cause ?? error;
  return cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
}
