/**
 * Waits for a fleet that is starting. A browser's EventSource comes back when its connection breaks, but never again after an
 * answer that is no stream (WHATWG HTML, 9.2.3), as a 503 would be: one that came while the fleet started heard no more of it.
 */
import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { hasCode } from '../../../../topology/errors.ts';
import { eventLimits } from '../events/event-limits.ts';

const lookMs = 100;

/** `desk` throws NOT_READY until the fleet is up. False: it is not up in time, or the client has gone. */
export async function onceUp(parts: () => unknown, request: Pick<IncomingMessage, 'destroyed'>): Promise<boolean> {
  for (let looks = eventLimits.upWaitMs / lookMs; looks > 0 && !request.destroyed; looks--) {
    try {
      parts();
      return true;
    } catch (error) {
      if (!hasCode(error, 'NOT_READY')) throw error;
    }
    await sleep(lookMs);
  }
  return false;
}
