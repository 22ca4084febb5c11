/** Checks the keys of calls before their bodies are read. */
import type { HttpReply, HttpRequest } from '../../../runtime/http/http-server.ts';
import { fleetServiceLimits } from '../fleet-service-limits.ts';
import type { Caller, Callers, Entry } from '../owners/callers.ts';
import { type CallShares, type CountedFor, strangers } from '../shares/call-shares.ts';
import type { FleetParts } from './fleet-parts.ts';
import { tooMany } from './too-many.ts';

interface Door {
  onRequest?(request: HttpRequest, reply: HttpReply): Promise<void>;
  onSend?(request: HttpRequest, reply: HttpReply, payload: unknown): Promise<unknown>;
}

/**
 * `callers` null: owners have no keys. Then the rights are those of any service, and every caller counts as the
 * operator. `calls`: undefined until the fleet is up.
 */
export function createDoor(callers: Callers | null, calls: () => CallShares | undefined = () => undefined) {
  const inside = new WeakMap<HttpRequest, Caller>();
  if (callers === null) return { door: {}, stranger: {} as Door, callerOf: (): Caller => null };
  const count = (request: HttpRequest, payload: unknown) => {
    const caller = inside.get(request);
    const owner = caller === undefined ? strangers : (caller?.name ?? null);
    if (typeof payload === 'string' || Buffer.isBuffer(payload)) calls()?.answered(owner, payload.length);
    return payload;
  };
  return {
    door: {
      config: { access: 'keyed' as const },
      onRequest: async (request: HttpRequest, reply: HttpReply) => {
        const bodyBytes = bodyBytesOf(request.headers);
        const entry = callers.enter(request.headers.authorization, bodyBytes);
        // A refused call waits, too: a caller repeats it at once.
        const mayEnter = (await calls()?.enter(countedFor(entry), entry.ok ? bodyBytes : 0)) ?? true;
        if (entry.ok && mayEnter) {
          inside.set(request, entry.caller);
          return;
        }
        // A refused caller must open a new connection for its next call. If the connection closed while the caller sends
        // a body, the caller would not read the answer.
        if (bodyBytes === 0) reply.header('connection', 'close');
        if (entry.ok) throw tooMany(reply, { message: tooManyWait, waitS: 2 });
        if (entry.status === 429) throw tooMany(reply, entry);
        reply.header('www-authenticate', 'Bearer');
        throw Object.assign(new Error(entry.message), { statusCode: 401, code: 'UNAUTHORIZED' });
      },
      onSend: async (request: HttpRequest, _: HttpReply, payload: unknown) => count(request, payload),
    },
    /** For calls that need no key. */
    stranger: {
      onRequest: async (_: HttpRequest, reply: HttpReply) => {
        if ((await calls()?.enter(strangers, 0)) ?? true) return;
        reply.header('connection', 'close');
        throw tooMany(reply, { message: tooManyWait, waitS: 2 });
      },
      onSend: async (request: HttpRequest, _: HttpReply, payload: unknown) => count(request, payload),
    } as Door,
    callerOf(request: HttpRequest): Caller {
      const caller = inside.get(request);
      if (caller === undefined) throw new Error('a bug: a call was answered without authentication');
      return caller;
    },
  };
}

const tooManyWait = 'this process is busy, and this caller uses more than its share of it: retry in 2 s';

function countedFor(entry: Entry): CountedFor {
  if (entry.caller === null) return null;
  return entry.caller?.name ?? strangers;
}

/** Returns the bytes of a call's body. A body of unknown size counts as the largest. */
export function bodyBytesOf(headers: HttpRequest['headers']): number {
  const { bodyBytesMax } = fleetServiceLimits;
  if (headers['transfer-encoding'] !== undefined) return bodyBytesMax;
  // Of a larger body no more is read.
  return Math.min(bodyBytesMax, Number(headers['content-length'] ?? 0) || 0);
}

/** Undefined until the fleet is up. */
export function callsOf(parts: () => FleetParts): CallShares | undefined {
  try {
    return parts().calls;
  } catch {
    return undefined;
  }
}
