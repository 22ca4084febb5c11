/**
 * Waits for a fleet that is starting. A browser's EventSource reconnects when its connection breaks. After an answer
 * that is no stream, such as a 503, it never does (WHATWG HTML, 9.2.3). So a request for a stream waits until the fleet
 * is up.
 */
import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { hasCode } from '../../../../topology/errors.ts';
import { eventLimits } from '../events/event-limits.ts';

const lookMs = 100;

/** `parts` throws NOT_READY until the fleet is up. false: the fleet is not up in time, or the client has gone. */
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
