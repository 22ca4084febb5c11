/**
 * TDMRep files (/.well-known/tdmrep.json) of origins. They are requested if the crawl intends a use that such a file
 * can bar.
 *
 * They are kept as long as a robots.txt, and requested within a lease, at the host's pace, if robots.txt allows it. A
 * file that is missing, or behind a redirect, has no effect (TDMRep §6.1).
 */
import { hash } from 'node:crypto';
import type { Task } from '../../../schemas/types.ts';
import { robotsLimits } from '../../../topology/robots/robots-limits.ts';
import { isAllowed } from '../../../topology/robots/rules.ts';
import { needsRefetch } from '../../../topology/robots/verdict.ts';
import { parseTdmrep, type TdmRule, tdmrepPath } from '../../../topology/usage/tdmrep.ts';
import type { UsesPolicy } from '../../../topology/usage/uses-policy.ts';
import type { Clock } from '../../runtime/clock.ts';
import { fetcherLimits } from '../fetcher-limits.ts';
import type { Headers } from '../http/headers.ts';
import { requestRecord } from '../http/outcomes.ts';
import { isOurs } from '../http/request-failure.ts';
import { keepPause, pacedRequest, type RequestPath } from '../pace/paced-request.ts';
import { costOf, holdBack, type ProcessorShare } from '../pace/processor-share.ts';
import type { LeaseReporter } from '../publish/publisher.ts';
import type { Robots } from './copies.ts';

export interface TdmFile {
  readonly rules: readonly TdmRule[];
  /** First 16 bytes of the SHA-256, hexadecimal. */
  readonly hash: string;
}

export interface TdmFiles {
  /** Null: it could not be asked for in time. `fetch`: the file's bytes; empty: there is none. */
  get(origin: string, fetch: () => Promise<Uint8Array | null>): Promise<TdmFile | null>;
}

export const noTdmFile: TdmFile = { rules: [], hash: '' };

/** True if the crawl intends a use that the file can bar. */
export function wantsTdmFile({ uses }: UsesPolicy): boolean {
  return uses?.some((use) => use === 'ai-input' || use === 'ai-train') === true;
}

export function createTdmFiles(clock: Clock): TdmFiles {
  /** In order of last use. */
  const entries = new Map<string, { readonly file: TdmFile; readonly fetchedAtMs: number }>();
  return {
    async get(origin, fetch) {
      const known = entries.get(origin);
      entries.delete(origin);
      if (known !== undefined && !needsRefetch(clock.nowMs() - known.fetchedAtMs)) {
        entries.set(origin, known);
        return known.file;
      }
      const body = await fetch();
      if (body === null) return null;
      const rules = parseTdmrep(body);
      const file = rules.length === 0 ? noTdmFile : { rules, hash: hash('sha256', body, 'hex').slice(0, 32) };
      entries.set(origin, { file, fetchedAtMs: clock.nowMs() });
      if (entries.size > fetcherLimits.robotsEntriesMax) entries.delete(entries.keys().next().value!);
      return file;
    },
  };
}

/** The parts of a lease's runner that are needed to make the request. */
export interface TdmAsker {
  readonly requestPath: RequestPath;
  readonly processorShare: ProcessorShare;
  readonly headers: Headers;
}

export function tdmFetch(
  { requestPath, processorShare, headers }: TdmAsker,
  { hostKey, delayMs: ordered, delayFactor }: Task,
  reporter: Pick<LeaseReporter, 'requested'>,
  origin: string,
  robots: Robots,
  latestStartMs: number,
): () => Promise<Uint8Array | null> {
  return async () => {
    const url = `${origin}${tdmrepPath}`;
    if (!isAllowed(robots.rules, url)) return nothing;
    const crawlDelayMs = robots.rules.crawlDelayMs ?? 0;
    const delayMs = Math.max(ordered, crawlDelayMs);
    const { hash: robotsHash, fetchedAtMs: robotsAtMs } = robots;
    const purpose = { kind: 'other', outcomeIndex: -1, hop: 0, robotsHash, robotsAtMs } as const;
    const response = await pacedRequest(requestPath, {
      url,
      headers,
      bodyBytesMax: robotsLimits.bodyBytesMax,
      wants: isSuccess,
      hostKey,
      delayMs,
      delayFactor,
      crawlDelayMs,
      latestStartMs,
      record: (made, addressDelayMs) => reporter.requested(requestRecord(url, purpose, delayMs, made, addressDelayMs)),
    });
    if (response === null || isOurs(response.failure)) return null;
    keepPause(requestPath, hostKey, response);
    holdBack(requestPath, processorShare, hostKey, costOf(response, 0));
    return response.failure === null && isSuccess(response.status) && !response.truncated ? response.body : nothing;
  };
}

const nothing = new Uint8Array();

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}
