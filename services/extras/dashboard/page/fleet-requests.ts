/**
 * Requests of the fleet page to the fleet's API, and the fields that it shows (services/extras/fleet/fleet-schemas.ts).
 */
import { answerTo, ask } from './requests.ts';

export interface FleetCrawl {
  readonly name: string;
  readonly owner: string;
  readonly weight: number;
  readonly state: string;
  readonly end: string | null;
  readonly failure: string | null;
  /** Why it ended without any page. */
  readonly noPage: string | null;
  readonly createdAtMs: number;
  readonly seeds: number;
  readonly counts: {
    readonly pages: number;
    readonly queued: number;
    readonly leased: number;
    readonly deferred: number;
    readonly denied: number;
    readonly failed: number;
    readonly deadLettered: number;
    readonly hosts: number;
    readonly bytes: number;
  };
  readonly pagesPerSecond: number;
  readonly data?: string;
}

interface Used {
  readonly used: number;
  /** null: any. */
  readonly most: number | null;
}

export interface FleetOwner {
  readonly name: string;
  readonly crawls: { readonly running: number; readonly runningMax: number; readonly kept: number };
  readonly pagesToday: Used;
  readonly bytesToday: Used;
  readonly hosts: Used;
}

export type CrawlVerb = 'pause' | 'resume' | 'end';

export async function askCrawls(): Promise<readonly FleetCrawl[]> {
  return (await ask<{ readonly crawls: readonly FleetCrawl[] }>('../v1/crawls', {}, true)).crawls;
}

export async function askOwners(): Promise<readonly FleetOwner[]> {
  return (await ask<{ readonly owners: readonly FleetOwner[] }>('../v1/owners', {}, true)).owners;
}

export function steerCrawl(name: string, verb: CrawlVerb): Promise<FleetCrawl> {
  return ask<FleetCrawl>(`../v1/crawls/${encodeURIComponent(name)}/${verb}`, { method: 'POST' });
}

export async function deleteCrawl(name: string): Promise<void> {
  await answerTo(`../v1/crawls/${encodeURIComponent(name)}`, { method: 'DELETE' }, false);
}

export function startCrawl(seed: string): Promise<FleetCrawl> {
  return ask<FleetCrawl>('../v1/crawls', { method: 'POST', body: JSON.stringify({ seeds: [seed] }) });
}

export interface ShownPage {
  readonly url: string;
  readonly title: string;
}

/** Most pages of one answer. */
const pagesAtOnce = 50;

/** In the order of their fetching; none: there are no more now. `next`: where to go on. */
export async function askPages(name: string, cursor: string) {
  const query = new URLSearchParams({ cursor, limit: String(pagesAtOnce) });
  const answer = await answerTo(`../v1/crawls/${encodeURIComponent(name)}/pages?${query}`, {}, false);
  const lines = (await answer.text()).split('\n').filter((line) => line !== '');
  const pages = lines.map((line) => JSON.parse(line) as ShownPage);
  return { pages, next: answer.headers.get('x-cursor') ?? cursor };
}
