/** A search in another process, which is killed at its deadline. The caller's process, such as a crawl's, goes on meanwhile. */
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { indexLimits } from './index-limits.ts';
import type { SearchAnswer, SearchOrder } from './search-process.ts';
import type { Hit } from './sqlite-index.ts';

const fromSource = import.meta.url.endsWith('.ts');
const program = new URL(fromSource ? './search-process.ts' : './search-process.js', import.meta.url);

/** Throws BUSY at its deadline, or once `signal` aborts; and as `searchFolder`. */
export async function searchBeside(
  order: SearchOrder,
  signal?: AbortSignal,
  deadlineMs: number = indexLimits.searchMs,
): Promise<readonly Hit[]> {
  const late = AbortSignal.timeout(deadlineMs);
  const ended = signal === undefined ? late : AbortSignal.any([late, signal]);
  // A debugger's port belongs to one process.
  const execArgv = process.execArgv.filter((word) => !word.startsWith('--inspect'));
  const child = fork(fileURLToPath(program), { execArgv, stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
  const kill = () => void child.kill('SIGKILL');
  ended.addEventListener('abort', kill, { once: true });
  try {
    if (ended.aborted) kill();
    const answer = await answerOf(child, order);
    if (answer !== null && 'hits' in answer) return answer.hits;
    if (answer !== null && answer.code !== null) throw new CrawlstreamError(answer.code, answer.message);
    if (ended.aborted) {
      const message = `the search took longer than ${deadlineMs} ms: give more words, or rarer ones`;
      throw new CrawlstreamError('BUSY', message);
    }
    throw new Error(`the search failed: ${answer?.message ?? 'its process ended'}`);
  } finally {
    ended.removeEventListener('abort', kill);
    kill();
  }
}

/** Null: the process ended before. */
function answerOf(child: ChildProcess, order: SearchOrder): Promise<SearchAnswer | null> {
  return new Promise((resolve, reject) => {
    child.once('message', (answer) => resolve(answer as SearchAnswer));
    child.once('error', reject);
    child.once('exit', () => resolve(null));
    // It may have ended already, which is reported by `exit`.
    child.send(order, () => {});
  });
}
