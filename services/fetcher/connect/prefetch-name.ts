/** Resolves the name of a lease's host ahead of its first request. */
import type { Task } from '../../../schemas/types.ts';
import type { Resolver } from './resolver.ts';

export function prefetchName(resolver: Resolver, task: Task): void {
  const first = task.urls[0] ?? task.robotsHops[0];
  if (first === undefined) return;
  const { hostname, port, protocol } = new URL(first.url);
  void resolver.resolve(hostname, Number(port || (protocol === 'https:' ? 443 : 80)));
}
