/** Starts a thread from a file of this program: compiled, or as a source in tests. */
import { Worker, type WorkerOptions } from 'node:worker_threads';

/** `url`: of a file beside the caller's, with the caller's ending. */
export function startThread(url: URL, options: WorkerOptions = {}): Worker {
  const all = { execArgv: [], ...options };
  if (!url.pathname.endsWith('.ts')) return new Worker(url, all);
  // Node hands loaders of the main thread on to threads only in part: TypeScript sources need theirs registered.
  const load = `import('tsx/esm/api').then(({ register }) => { register(); return import(${JSON.stringify(url.href)}); })`;
  return new Worker(load, { ...all, eval: true });
}
