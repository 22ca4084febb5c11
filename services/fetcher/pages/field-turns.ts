/**
 * Decides which site's page the selectors' worker takes next. A hostile page can keep the worker for its whole time
 * limit, and one owner can have a thousand hosts with such pages. Therefore sites with a finished last page get at
 * least half of the worker, whatever waits from other sites. A site with an unfinished page rests, twice as long each
 * time.
 *
 * A site is a registrable domain: names below it cost nothing.
 */
import { richLimits } from '../../../topology/parse/rich/rich-limits.ts';
import { registrableDomain } from '../../../topology/url/registrable-domain.ts';

export interface FieldTurns {
  /**
   * Runs the job when it is its turn. `isLost` reads its result: true: it did not return in time; null: it says nothing
   * about the site.
   */
  take<Result>(
    hostname: string,
    job: () => Promise<Result>,
    isLost: (result: Result) => boolean | null,
  ): Promise<Result>;
  /** Does the site get no turns for now? */
  rests(hostname: string): boolean;
}

interface Rest {
  readonly untilMs: number;
  readonly times: number;
}

type Trust = 'trusted' | 'unknown';

/** `timeoutMs`: what one page may take. `nowMs`: monotonic. */
export function createFieldTurns(timeoutMs: number, nowMs: () => number = () => performance.now()): FieldTurns {
  /** Sites with a finished last page, oldest first. */
  const trusted = new Set<string>();
  const rests = new Map<string, Rest>();
  const waiting: Record<Trust, (() => Promise<void>)[]> = { trusted: [], unknown: [] };
  /** Time of the worker, ms. A group with nothing waiting saves no time up. */
  const spentMs: Record<Trust, number> = { trusted: 0, unknown: 0 };
  let isBusy = false;

  const next = (): Trust | null => {
    if (waiting.trusted.length === 0) return waiting.unknown.length === 0 ? null : 'unknown';
    return waiting.unknown.length === 0 || spentMs.trusted <= spentMs.unknown ? 'trusted' : 'unknown';
  };
  const work = async () => {
    if (isBusy) return;
    isBusy = true;
    for (let who = next(); who !== null; who = next()) {
      const other = who === 'trusted' ? 'unknown' : 'trusted';
      if (waiting[other].length === 0) spentMs[other] = Math.max(spentMs[other], spentMs[who]);
      const startMs = nowMs();
      await waiting[who].shift()!();
      spentMs[who] += nowMs() - startMs;
    }
    isBusy = false;
  };
  const settle = (site: string, isLost: boolean | null) => {
    if (isLost === null) return;
    trusted.delete(site);
    if (!isLost) {
      rests.delete(site);
      trusted.add(site);
      if (trusted.size > richLimits.fieldSitesMax) trusted.delete(trusted.values().next().value!);
      return;
    }
    const times = Math.min((rests.get(site)?.times ?? 0) + 1, richLimits.fieldsRestDoublingsMax + 1);
    rests.delete(site);
    rests.set(site, { untilMs: nowMs() + richLimits.fieldsRestFactor * timeoutMs * 2 ** (times - 1), times });
    if (rests.size > richLimits.fieldSitesMax) rests.delete(rests.keys().next().value!);
  };

  return {
    take(hostname, job, isLost) {
      const site = siteOf(hostname);
      return new Promise((resolve, reject) => {
        waiting[trusted.has(site) ? 'trusted' : 'unknown'].push(async () => {
          try {
            const result = await job();
            settle(site, isLost(result));
            resolve(result);
          } catch (error) {
            reject(error);
          }
        });
        void work();
      });
    },
    rests: (hostname) => (rests.get(siteOf(hostname))?.untilMs ?? 0) > nowMs(),
  };
}

function siteOf(hostname: string): string {
  return registrableDomain(hostname) ?? hostname;
}
