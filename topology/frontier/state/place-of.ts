import type { Counters } from '../changes/counters.ts';
import type { Host, Hosts } from '../hosts/host.ts';

/** The counter of a URL that waits in its host's queue; `frontQueue` 0 also means URLs to fetch again. */
export function placeOf(
  hosts: Hosts,
  { id, queue }: Host,
  dueAtMs: number,
  frontQueue = 0,
): 'queued' | 'retrying' | 'deferred' {
  if (hosts.facts.hold(id) !== '' || queue.isHeld(frontQueue)) return 'deferred';
  return dueAtMs > 0 ? 'retrying' : 'queued';
}

/** Adds a host's whole queue to the counters it belongs to. */
export function countQueue({ hosts, counters }: Counted, host: Host, by: 1 | -1): void {
  for (const again of host.queue.again) counters[placeOf(hosts, host, again.dueAtMs)] += by;
  counters[placeOf(hosts, host, 1)] += by * (host.queue.rescheduled?.size ?? 0);
  for (const { number, size } of host.queue.frontQueues()) counters[placeOf(hosts, host, 0, number)] += by * size;
}

interface Counted {
  readonly hosts: Hosts;
  readonly counters: Counters;
}
