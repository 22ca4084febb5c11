/**
 * Raw responses of one URL, held until the page was read: it may ask not to be archived, or be one that is not published.
 */
import type { PageUsage } from '../../../schemas/types.ts';
import { barredFrom } from '../../../topology/usage/statement.ts';
import type { HttpResponse } from '../http/client.ts';
import type { PacedRequest, RequestPath } from '../pace/paced-request.ts';

export interface HeldResponses {
  readonly take: (request: PacedRequest, response: HttpResponse) => void;
  /** Call it once the last of them was read. */
  release(published: boolean, usage: readonly PageUsage[]): void;
}

/** Undefined: raw responses are not needed. */
export function createHeldResponses({ onResponse, onUnpublished }: RequestPath): HeldResponses | undefined {
  if (onResponse === undefined) return undefined;
  const held: Parameters<HeldResponses['take']>[] = [];
  return {
    take: (...one) => void held.push(one),
    release(published, usage) {
      if (!published) {
        for (const [, response] of held) onUnpublished?.(response);
        return;
      }
      const noArchiveFromMs = barredFrom(usage, 'archive');
      for (const [request, response] of held) onResponse(request, response, noArchiveFromMs);
    },
  };
}
