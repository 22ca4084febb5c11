/** A fleet as a caller may see it: its own crawls, or all of them as the operator. */
import type { HttpRequest } from '../../../runtime/http/http-server.ts';
import type { CrawlAnswer } from '../fleet-schemas.ts';
import type { PolicySetter } from '../owner-policy.ts';
import type { Caller, Callers } from '../owners/callers.ts';
import { missingCrawl } from '../turns.ts';
import type { FleetParts } from './fleet-parts.ts';

export class FleetAccess {
  /** Throws NOT_READY until the fleet is up. */
  readonly parts: () => FleetParts;
  readonly callerOf: (request: HttpRequest) => Caller;
  readonly #callers: Callers | null;

  /** `callers` null: owners have no keys, and every caller is the operator. */
  constructor(parts: () => FleetParts, callers: Callers | null, callerOf: (request: HttpRequest) => Caller) {
    this.parts = parts;
    this.#callers = callers;
    this.callerOf = callerOf;
  }

  /** Returns a crawl that the caller may see. A crawl of another owner is reported as missing. */
  seen(request: HttpRequest, name: string): CrawlAnswer {
    const crawl = this.parts().fleet.find(name);
    const caller = this.callerOf(request);
    if (crawl === undefined || (caller !== null && crawl.owner !== caller.name)) throw missingCrawl(name);
    return crawl;
  }

  /** Refuses a call if its key was revoked while it waited for its turn. */
  checkCaller(request: HttpRequest): void {
    if (this.isIn(this.callerOf(request))) return;
    throw Object.assign(new Error('the key of this call was revoked'), { statusCode: 401, code: 'UNAUTHORIZED' });
  }

  isIn(caller: Caller): boolean {
    return this.#callers === null || this.#callers.isIn(caller);
  }

  /** Counts the parts of a streamed answer for the caller. Resolves once the next part may be made. */
  streamed(request: HttpRequest): (bytes: number) => Promise<void> {
    return this.parts().calls?.streamed(this.callerOf(request)?.name ?? null) ?? (async () => {});
  }

  setterOf(request: HttpRequest): PolicySetter {
    return this.callerOf(request) === null ? 'operator' : 'owner';
  }

  /** The crawl as the caller gets it: an owner gets no path of the fleet's machine. */
  shown(request: HttpRequest, crawl: CrawlAnswer): object {
    if (this.callerOf(request) === null) return crawl;
    const { data, failure, ...rest } = crawl;
    const folder = data.slice(0, -crawl.name.length - 1);
    return { ...rest, failure: failure?.replaceAll(folder, '…') ?? null };
  }
}
