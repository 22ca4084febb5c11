/** Reads the usage preferences of a response: its headers and its page, without robots.txt. */
import { isRobotsName, lowerTokens, type ProductTokens } from '../robots/product-token.ts';
import { contentSignal } from './content-signal.ts';
import { contentUsage } from './content-usage.ts';
import { mayBar, robotsTag } from './robots-tag.ts';
import type { Statement, Subject } from './statement.ts';
import { tdmPolicy, tdmReservation } from './tdmrep.ts';
import { usageLimits } from './usage-limits.ts';

const fields = new Set(['content-usage', 'content-signal', 'tdm-reservation', 'tdm-policy', 'x-robots-tag']);

/** `headers`: names in lower case and values alternating. `productToken`: the names to which parts may be addressed. */
export function headerUsage(headers: readonly string[], productToken: ProductTokens): Statement[] {
  const found: Statement[] = [];
  const usage: string[] = [];
  for (let i = 0; i < headers.length; i += 2) {
    const name = headers[i]!;
    if (!fields.has(name)) continue;
    const value = headers[i + 1]!;
    if (name === 'content-usage') usage.push(value);
    else if (name === 'x-robots-tag') found.push(...robotsTag(value, 'header x-robots-tag', lowerTokens(productToken)));
    else found.push(...plainField(name, value, `header ${name}`));
  }
  if (usage.length > 0) found.push(...contentUsage(usage, 'header content-usage', usage.join(', ')));
  return found;
}

/** A meta element that speaks of use. */
export interface UsageMeta {
  readonly name: string;
  readonly content: string;
}

/** Can a meta element of this name, in lower case, speak of use? */
export function namesUsage(name: string, tokens: readonly string[]): boolean {
  return fields.has(name) || isRobotsName(name, tokens);
}

/** True if the content should be kept for `metaUsage`. */
export function saysUsage(name: string, content: string): boolean {
  return (fields.has(name) && name !== 'x-robots-tag') || mayBar(content);
}

/**
 * Meta elements of one page that speak of use. Beyond the bound only those are kept that bar what none before them bars: no
 * number of elements drowns a bar, and no page is kept longer for having many.
 */
export class UsageMetas {
  readonly all: UsageMeta[] = [];
  /** From when each subject is barred; null: it was not asked yet. */
  #barred: Map<Subject, number> | null = null;

  add(meta: UsageMeta): void {
    if (this.all.length >= usageLimits.metasMax) {
      this.#barred ??= barsOf(this.all);
      const isNew = ([subject, fromMs]: readonly [Subject, number]) => {
        const known = this.#barred!.get(subject);
        return known === undefined || (known > 0 && fromMs === 0);
      };
      const news = [...barsOf([meta])].filter(isNew);
      if (news.length === 0) return;
      for (const [subject, fromMs] of news) this.#barred.set(subject, fromMs);
    }
    this.all.push(meta);
  }
}

function barsOf(metas: readonly UsageMeta[]): Map<Subject, number> {
  const bars = new Map<Subject, number>();
  for (const { use, preference, fromMs } of metaUsage(metas))
    if (preference === 'deny') bars.set(use, Math.min(fromMs, bars.get(use) ?? fromMs));
  return bars;
}

export function metaUsage(metas: readonly UsageMeta[]): Statement[] {
  return metas.flatMap(({ name, content }) => {
    const source = `meta ${name}`;
    if (name === 'content-usage') return contentUsage([content], source, content);
    if (!fields.has(name) || name === 'x-robots-tag') return robotsTag(content, source, null);
    return plainField(name, content, source);
  });
}

function plainField(name: string, value: string, source: string): Statement[] {
  if (name === 'content-signal') return contentSignal(value, source, value);
  return name === 'tdm-reservation' ? tdmReservation(value, source, value) : tdmPolicy(value, source);
}
