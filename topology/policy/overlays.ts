/**
 * Applies overlays: the settings of a host or URL after all matching overlays. A pure function of the policy.
 *
 * Each combination of overlays is computed when first met and then cached, so that the settings of a page are one
 * lookup. The cache is bounded; a dropped combination is computed again.
 */
import { compileFilters, type Filter, withRequisites } from '../url/filters.ts';
import { withoutPort } from '../url/host-key.ts';
import type { CompilePatterns } from '../url/patterns.ts';
import type { ListSource } from '../url/url-lists.ts';
import { bounded } from './bounded.ts';
import type { OverlaySettings } from './overlay-config.ts';
import { type OverlaidHost, overlayHosts } from './overlay-hosts.ts';
import { compileMatching } from './overlay-matching.ts';
import type { FetchAs, PolicyConfig } from './policy.ts';
import type { OverlaidRule } from './recrawl/schedule.ts';
import type { OpenAt } from './windows.ts';

export interface OverlaidUrl {
  readonly filter: Filter;
  readonly maxDepth: number | null;
  readonly hopsMax: number;
  readonly inScope?: boolean | undefined;
  readonly frontQueue?: number | undefined;
  readonly fetchAs?: FetchAs | undefined;
  /** The overlay that decides about the scope. */
  readonly scopedBy: string;
}

/** An overlay that matches, and the fields that it decides: no later one sets them. */
export interface Deciding {
  readonly name: string;
  readonly fields: readonly string[];
}

export interface Overlays {
  ofHost(hostKey: string): OverlaidHost;
  ofUrl(url: string): OverlaidUrl;
  /** In the order of the policy. */
  deciding(url: string): readonly Deciding[];
  /** Rules of `recrawl`, the one with precedence first. */
  readonly recrawl: readonly OverlaidRule[];
}

const combinationsKept = 4_096;

/** null: the policy has no overlays. */
export function compileOverlays(config: PolicyConfig, lists: ListSource, compile: CompilePatterns): Overlays | null {
  const { overlays = [] } = config;
  if (overlays.length === 0) return null;
  const matching = compileMatching(overlays, compile);
  const combinations = bounded<OverlaidUrl>(combinationsKept);
  const own = config.requisites ? withRequisites(config.filters) : config.filters;
  const plainFilter = compileFilters(own, null, lists, compile);
  const settings = (numbers: readonly number[]): OverlaidUrl => {
    const sets = numbers.map((number) => overlays[number]!.set);
    const set: OverlaySettings = Object.assign({}, ...sets);
    const { maxDepth = config.maxDepth, hopsMax = config.hopsMax, inScope, frontQueue, fetchAs } = set;
    const filters = sets.flatMap((one) => one.filters ?? []);
    const filter =
      filters.length === 0 ? plainFilter : compileFilters(Object.assign({}, own, ...filters), null, lists, compile);
    const scoping = numbers.findLast((number) => overlays[number]!.set.inScope !== undefined);
    const scopedBy = scoping === undefined ? '' : overlays[scoping]!.name;
    return { filter, maxDepth, hopsMax, inScope, frontQueue, fetchAs, scopedBy };
  };
  return {
    ofHost: overlayHosts(config, overlays, matching),
    ofUrl(url) {
      const numbers = matching.ofUrl(url);
      return combinations(numbers.join(' '), () => settings(numbers));
    },
    deciding(url) {
      const found = matching.ofUrl(url).map((number) => overlays[number]!);
      const fields = found.map(({ set }) => fieldsOf(set));
      const isLast = (field: string, at: number) => !fields.slice(at + 1).some((later) => later.includes(field));
      return found.map(({ name }, at) => ({ name, fields: fields[at]!.filter((field) => isLast(field, at)) }));
    },
    recrawl: overlays
      .flatMap(({ set: { recrawl } }, number) =>
        recrawl === undefined ? [] : { rule: recrawl, holds: (url: string) => matching.ofUrl(url).includes(number) },
      )
      .reverse(),
  };
}

/** Fields of filters are set one by one. */
function fieldsOf({ filters = {}, ...set }: OverlaySettings): string[] {
  return [...Object.keys(set), ...Object.keys(filters).map((name) => `filters.${name}`)];
}

/** When a host may be contacted: by the window of a matching overlay, or else by the policy's windows. */
export function openAtOf(overlays: Overlays | null, windows: OpenAt): OpenAt {
  if (overlays === null) return (hostKey, nowMs) => windows(withoutPort(hostKey), nowMs);
  return (hostKey, nowMs) => (overlays.ofHost(hostKey).openAt ?? windows)(withoutPort(hostKey), nowMs);
}

/** A matching overlay, as shown to people. */
export function decidingText({ name, fields }: Deciding): string {
  return `${name}: ${fields.length === 0 ? 'decides nothing; later overlays override it' : `decides ${fields.join(', ')}`}`;
}
