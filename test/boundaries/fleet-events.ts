/** What a fleet tells of its crawls, to streams and webhooks, and whom it lets call. */
import type { eventLimits } from '../../services/extras/fleet/events/event-limits.ts';
import type { outputLimits } from '../../services/extras/fleet/outputs/output-limits.ts';
import { Callers } from '../../services/extras/fleet/owners/callers.ts';
import { ownersOf, ownersSchema } from '../../services/extras/fleet/owners/owner-file.ts';
import type { ownerLimits } from '../../services/extras/fleet/owners/owner-limits.ts';
import type { webhookLimits } from '../../services/extras/fleet/webhooks/webhook-limits.ts';
import { type BoundaryTable, from as reaching, tuning, undriven } from './boundary.ts';

export const eventBoundaries: BoundaryTable<typeof eventLimits> = {
  lookMs: tuning('how soon a stream tells of what came'),
  beatMs: tuning('how often a stream without events says nothing'),
  upWaitMs: tuning(
    'how long a stream waits for a fleet that starts: then its socket is closed, and its client comes back',
  ),
  readMax: tuning('how many events are read at once: the stream goes on'),
  readCharsSoft: tuning('how much is read at once: the stream goes on'),
  ofOwnerMax: undriven('twenty sockets: the stream beyond them is refused with 429'),
  streamsMax: undriven('two hundred sockets: the stream beyond them is refused with 429'),
};

export const outputBoundaries: BoundaryTable<typeof outputLimits> = {
  ofOwnerMax: undriven(
    'test/services/extras/fleet/outputs/send-output.test.ts takes all places: the next is refused with 429',
  ),
  outputsMax: undriven(
    'test/services/extras/fleet/outputs/send-output.test.ts takes all places: the next is refused with 429',
  ),
  stalledMs: undriven('two minutes of a client that takes nothing: it is let go'),
};

export const webhookBoundaries: BoundaryTable<typeof webhookLimits> = {
  lookMs: tuning('how soon events are posted'),
  eventsMax: tuning('how many events share a request: the next has the others'),
  charsSoft: tuning('how much shares a request: the next has the others'),
  stopMs: tuning('how long a fleet waits as it stops: what was not answered is posted again'),
  timeoutMs: undriven('fifteen seconds of a receiver that does not answer: it is posted again then'),
  answerBytesMax: tuning('how much of an answer is read that nobody looks at'),
  retryMinMs: tuning('how soon it is tried again'),
  retryMaxMs: tuning('how late it is tried again'),
  retryAfterMaxMs: tuning('how late it is tried again where the receiver asks for time'),
  ofOwnerMax: tuning('how many requests of one owner are under way: the others wait for their turn'),
  requestsMax: tuning('how many requests are under way: the others wait for their turn'),
  failureCharsMax: tuning('how much is told of a failure'),
};

const keyed = (chars: number) => {
  try {
    return ownersOf(ownersSchema.parse([{ name: 'a', key: { env: 'K' } }]), { K: 'k'.repeat(chars) }).length === 1;
  } catch {
    return false;
  }
};

/** Of sixty that may come at once. */
function callsLeftAfter(bodyBytes: number): number {
  const owners = ownersOf(ownersSchema.parse([{ name: 'a', key: { env: 'K' } }]), { K: 'k'.repeat(16) });
  const callers = new Callers(owners, undefined, { nowMs: () => 0 });
  const enter = (bytes = 0) => callers.enter(`Bearer ${'k'.repeat(16)}`, bytes).ok;
  enter(bodyBytes);
  let left = 0;
  while (enter()) left += 1;
  return left;
}

export const ownerBoundaries: BoundaryTable<typeof ownerLimits> = {
  keyCharsMin: reaching(keyed),
  crawlsMax: tuning('a default, which the file may set otherwise'),
  keptMax: tuning('a default, which the file may set otherwise'),
  callsPerMinute: tuning('a default, which the file may set otherwise'),
  burstShare: tuning('how many of a minute’s calls may come at once'),
  callBytes: reaching((bytes) => callsLeftAfter(bytes), 59, 58),
  readEveryMs: tuning('how soon a key that was replaced opens nothing'),
  lookMs: tuning('by how much a quota may be overrun'),
  writeMs: tuning('how much is added up again after a kill'),
};
