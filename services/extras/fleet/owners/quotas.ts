/**
 * Quotas of owners: the usage of their crawls is added up, and a crawl of an owner with a used-up quota is held until
 * there is room again. Other owners are not affected.
 */
import type { Clock } from '../../../runtime/clock.ts';
import { counted } from '../../../runtime/counted.ts';
import type { Documents } from '../documents/documents.ts';
import type { CrawlAnswer } from '../fleet-schemas.ts';
import type { Owner } from './owner-file.ts';
import { ownerLimits } from './owner-limits.ts';
import { readUsage, type Usage, writeUsage } from './usage-file.ts';

type Counted = Pick<CrawlAnswer, 'name' | 'createdAtMs' | 'owner' | 'counts' | 'state' | 'weight'>;

export interface OwnerStatus {
  readonly name: string;
  readonly crawls: {
    readonly running: number;
    readonly runningMax: number;
    readonly kept: number;
    readonly keptMax: number;
  };
  readonly pagesToday: { readonly used: number; readonly most: number | null };
  readonly bytesToday: { readonly used: number; readonly most: number | null };
  readonly hosts: { readonly used: number; readonly most: number | null };
}

interface One {
  readonly owner: Owner;
  usage: Usage;
  hosts: number;
  isChanged: boolean;
}

const restStates: ReadonlySet<string> = new Set(['ended', 'failed', 'paused']);

export class Quotas {
  readonly #fleet: Documents;
  readonly #clock: Pick<Clock, 'nowMs'>;
  #owners: ReadonlyMap<string, One> = new Map();
  #writtenAtMs = 0;

  private constructor(fleet: Documents, clock: Pick<Clock, 'nowMs'>) {
    this.#fleet = fleet;
    this.#clock = clock;
  }

  static async open(fleet: Documents, owners: readonly Owner[], clock: Pick<Clock, 'nowMs'>): Promise<Quotas> {
    const quotas = new Quotas(fleet, clock);
    await quotas.setOwners(owners);
    return quotas;
  }

  /** Usage is kept; the usage of removed owners stays on disk. */
  async setOwners(owners: readonly Owner[]): Promise<void> {
    await this.write(true);
    const all = new Map<string, One>();
    for (const owner of owners) {
      const known = this.#owners.get(owner.name);
      const fresh = async () => ({ usage: await readUsage(this.#fleet, owner.name), hosts: 0, isChanged: false });
      all.set(owner.name, { ...(known ?? (await fresh())), owner });
    }
    this.#owners = all;
  }

  /** Adds the usage since the last call. `crawls`: all existing crawls. */
  look(crawls: readonly Counted[]): void {
    const day = dayOf(this.#clock.nowMs());
    for (const one of this.#owners.values()) {
      const mine = crawls.filter(({ owner }) => owner === one.owner.name);
      const before = one.usage;
      const used = before.day === day ? { ...before.used } : { pages: 0, bytes: 0 };
      const counted: Usage['crawls'] = {};
      for (const { name, createdAtMs, counts } of mine) {
        const id = `${name} ${createdAtMs}`;
        const known = before.crawls[id] ?? { pages: 0, bytes: 0 };
        // The counts of a crawl that is not up yet may be older than those that were added.
        const pages = Math.max(known.pages, counts.pages);
        const bytes = Math.max(known.bytes, counts.bytes);
        used.pages += pages - known.pages;
        used.bytes += bytes - known.bytes;
        counted[id] = { pages, bytes };
      }
      one.hosts = mine.reduce((hosts, { counts }) => hosts + counts.hosts, 0);
      const usage: Usage = { format: 1, day, used, crawls: counted };
      if (JSON.stringify(usage) === JSON.stringify(before)) continue;
      one.usage = usage;
      one.isChanged = true;
    }
  }

  /** Returns the reason why an owner's crawls are held; null: they are not. */
  spent(owner: string): string | null {
    const one = this.#owners.get(owner);
    if (one === undefined) return null;
    const { pagesPerDay, bytesPerDay, hostsMax } = one.owner;
    const { used, day } = one.usage;
    const isToday = day === dayOf(this.#clock.nowMs());
    const till = `it continues at ${new Date(nextDayMs(this.#clock.nowMs())).toISOString().slice(0, 16)}Z`;
    if (isToday && pagesPerDay !== null && used.pages >= pagesPerDay)
      return `${owner} used its quota of ${counted(pagesPerDay, 'page')} per day: ${till}`;
    if (isToday && bytesPerDay !== null && used.bytes >= bytesPerDay)
      return `${owner} used its quota of ${bytesPerDay} bytes per day: ${till}`;
    if (hostsMax !== null && one.hosts > hostsMax)
      return `crawls of ${owner} have ${counted(one.hosts, 'host')}, the limit is ${hostsMax}: delete some crawls, or narrow their scope`;
    return null;
  }

  /** Returns the reason why an owner may have no further crawl; null: it may. `waitS`: seconds to wait, 0: useless. */
  refusal(
    owner: string,
    crawls: readonly Counted[],
    weight: number | null,
  ): { readonly message: string; readonly waitS: number } | null {
    const one = this.#owners.get(owner);
    if (one === undefined) return null;
    const { crawlsMax, keptMax, weightMax } = one.owner;
    const mine = crawls.filter((crawl) => crawl.owner === owner);
    const running = mine.filter(({ state }) => !restStates.has(state));
    const spent = this.spent(owner);
    const wait =
      one.hosts > (one.owner.hostsMax ?? Number.POSITIVE_INFINITY)
        ? 0
        : nextDayMs(this.#clock.nowMs()) - this.#clock.nowMs();
    if (spent !== null) return { message: spent, waitS: Math.ceil(wait / 1_000) };
    if (running.length >= crawlsMax)
      return {
        message: `${owner} may run at most ${counted(crawlsMax, 'crawl')} at once: wait until one ends, or pause or end one`,
        waitS: 0,
      };
    if (weight !== null && mine.length >= keptMax)
      return { message: `${owner} may have at most ${counted(keptMax, 'crawl')}: delete ended ones`, waitS: 0 };
    const heavy = running.reduce((sum, crawl) => sum + crawl.weight, weight ?? 0);
    if (weightMax !== null && heavy > weightMax)
      return {
        message: `weight: the running crawls of ${owner} may have at most ${weightMax} in total, but would have ${heavy}; lower the weight`,
        waitS: 0,
      };
    return null;
  }

  status(crawls: readonly Counted[]): OwnerStatus[] {
    return [...this.#owners.values()].map(({ owner, usage, hosts }) => {
      const { name, crawlsMax, keptMax, pagesPerDay, bytesPerDay, hostsMax } = owner;
      const mine = crawls.filter((crawl) => crawl.owner === name);
      const running = mine.filter(({ state }) => !restStates.has(state)).length;
      const used = usage.day === dayOf(this.#clock.nowMs()) ? usage.used : { pages: 0, bytes: 0 };
      return {
        name,
        crawls: { running, runningMax: crawlsMax, kept: mine.length, keptMax },
        pagesToday: { used: used.pages, most: pagesPerDay },
        bytesToday: { used: used.bytes, most: bytesPerDay },
        hosts: { used: hosts, most: hostsMax },
      };
    });
  }

  /**
   * Writes changed usage. `isLast`: even if the last write was recent. Throws the first error, after the others are
   * written.
   */
  async write(isLast = false): Promise<void> {
    const nowMs = this.#clock.nowMs();
    if (!isLast && nowMs - this.#writtenAtMs < ownerLimits.writeMs) return;
    this.#writtenAtMs = nowMs;
    const failures: unknown[] = [];
    for (const one of this.#owners.values()) {
      if (!one.isChanged) continue;
      one.isChanged = false;
      try {
        await writeUsage(this.#fleet, one.owner.name, one.usage);
      } catch (error) {
        one.isChanged = true;
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }
}

const dayMs = 86_400_000;

function dayOf(nowMs: number): string {
  return new Date(nowMs).toISOString().slice(0, 10);
}

function nextDayMs(nowMs: number): number {
  return (Math.floor(nowMs / dayMs) + 1) * dayMs;
}
