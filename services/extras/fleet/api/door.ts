/** Lets calls in by their keys, before their bodies are read. */
import type { HttpReply, HttpRequest } from '../../../runtime/http/http-server.ts';
import { fleetServiceLimits } from '../fleet-service-limits.ts';
import type { Caller, Callers } from '../owners/callers.ts';

/** `callers` null: owners have no keys; whoever may call is decided as for any service, and is the operator. */
export function createDoor(callers: Callers | null) {
  const inside = new WeakMap<HttpRequest, Caller>();
  if (callers === null) return { door: {}, callerOf: (): Caller => null };
  return {
    door: {
      config: { access: 'keyed' as const },
      onRequest: async (request: HttpRequest, reply: HttpReply) => {
        const bodyBytes = bodyBytesOf(request.headers);
        const entry = callers.enter(request.headers.authorization, bodyBytes);
        if (entry.ok) {
          inside.set(request, entry.caller);
          return;
        }
        // Whoever calls on all the same begins with a connection. A caller that is sending a body would not read the answer.
        if (bodyBytes === 0) reply.header('connection', 'close');
        if (entry.status === 401) reply.header('www-authenticate', 'Bearer');
        if (entry.waitS > 0) reply.header('retry-after', `${entry.waitS}`);
        const code = entry.status === 401 ? 'UNAUTHORIZED' : 'TOO_MANY';
        throw Object.assign(new Error(entry.message), { statusCode: entry.status, code });
      },
    },
    callerOf(request: HttpRequest): Caller {
      const caller = inside.get(request);
      if (caller === undefined) throw new Error('a bug: a call was answered without authentication');
      return caller;
    },
  };
}

/** One that does not say how large it is counts as the largest. */
function bodyBytesOf(headers: HttpRequest['headers']): number {
  if (headers['transfer-encoding'] !== undefined) return fleetServiceLimits.bodyBytesMax;
  return Number(headers['content-length'] ?? 0) || 0;
}
