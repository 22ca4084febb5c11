import type { Host, Hosts } from './hosts/host.ts';

/** The counter of a URL that waits in its host's queue; `band` 0 stands for what came back, too. */
export function placeOf(
  hosts: Hosts,
  { id, queue }: Host,
  dueAtMs: number,
  band = 0,
): 'queued' | 'retrying' | 'deferred' {
  if (hosts.facts.hold(id) !== '' || queue.isHeld(band)) return 'deferred';
  return dueAtMs > 0 ? 'retrying' : 'queued';
}
