/** `import { hostFleet } from 'crawlstream/fleet'`: many crawls in a program of your own, polite together, kept in a folder. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { z } from 'zod';
import { CrawlstreamError } from '../../../../topology/errors.ts';
import { checkOptions } from '../../../runtime/check-options.ts';
import { readCall } from '../../../runtime/http/read-call.ts';
import { levelsOf } from '../../../runtime/logging/log-line.ts';
import { sayFrom } from '../../../runtime/logging/say.ts';
import type { FleetParts } from '../api/fleet-parts.ts';
import { CrawlDashboards } from '../command/crawl-dashboards.ts';
import { fleetHttp } from '../command/fleet-http.ts';
import { keepFleet } from '../command/run-fleet.ts';
import { type CrawlAnswer, createCall } from '../fleet-schemas.ts';
import { type FleetSettings, fleetFlags, settingFields } from './fleet-settings.ts';

export type { CrawlAnswer } from '../fleet-schemas.ts';
export type { FleetSettings } from './fleet-settings.ts';

/** A crawl to create: the body of `POST /v1/crawls`. */
export type CreateCrawl = z.input<typeof createCall>;

/** A fleet that runs in this process. */
export interface HostedFleet {
  /** Base URL of its API, as in http://127.0.0.1:8090. null: it does not listen. */
  readonly url: string | null;
  /** Throws a CrawlstreamError that names the field at fault. */
  create(crawl: CreateCrawl): Promise<CrawlAnswer>;
  /** All crawls of the fleet. */
  list(): readonly CrawlAnswer[];
  /** Resolves once the crawl has ended or failed (`state`, `failure`). Throws NO_MATCH if there is no such crawl. */
  ended(name: string): Promise<CrawlAnswer>;
  /** Resolves once requests under way are over, and everything is stored. The next start continues its crawls. */
  stop(): Promise<void>;
}

const lookEveryMs = 100;

/** Resolves once the fleet is up. One process at a time can host the fleet of a folder. */
export async function hostFleet(settings: FleetSettings): Promise<HostedFleet> {
  checkOptions('hostFleet', settings, settingFields);
  // Its other reports are useful to an operator, not in the output of a program.
  sayFrom(levelsOf('warn'));
  const stopping = new AbortController();
  let kept: Promise<boolean> | undefined;
  const { parts, address } = await new Promise<{ readonly parts: FleetParts; readonly address: string | null }>(
    (resolve, reject) => {
      const dashboards = new CrawlDashboards();
      const command = {
        ...{ dashboards, role: 'fleet', routes: fleetHttp(dashboards) },
        serve(parts: () => FleetParts, signal: AbortSignal, address: string | null): Promise<void> {
          resolve({ parts: parts(), address });
          return new Promise((stopped) => signal.addEventListener('abort', () => stopped(), { once: true }));
        },
      };
      kept = keepFleet(fleetFlags(settings), command, stopping.signal);
      kept.catch(reject);
    },
  );
  const { fleet } = parts;
  return {
    url: address === null ? null : `http://${address}`,
    create: async (crawl) =>
      (await fleet.create(readCall(createCall, crawl, 'see docs/fleet.md for all fields'))).crawl,
    list: () => fleet.list(),
    async ended(name) {
      for (;;) {
        const crawl = fleet.find(name);
        if (crawl === undefined) throw new CrawlstreamError('NO_MATCH', `the fleet has no crawl ${name}: see list()`);
        if (crawl.state === 'ended' || crawl.state === 'failed') return crawl;
        await sleep(lookEveryMs);
      }
    },
    async stop() {
      stopping.abort();
      await kept;
    },
  };
}
