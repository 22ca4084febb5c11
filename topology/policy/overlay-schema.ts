/** Overlays from JSON: their shape, and checks beyond the shape: which settings fit which match. */
import { z } from 'zod';
import { CrawlstreamError } from '../errors.ts';
import { isOfHosts, parseSurt } from '../url/surt.ts';
import { parallelLimits } from './limits.ts';
import { frontQueueLast, type OverlayConfig, settingsOfHosts } from './overlay-config.ts';
import type { PolicyConfig } from './policy.ts';
import { schemasOf } from './policy-fields.ts';
import { filtersSchema, windowSchema } from './policy-shapes.ts';
import { overlayRuleSchema, storedOverlayRuleSchema } from './recrawl/recrawl-config.ts';

const names = z.array(z.string().min(1)).min(1);

const surt = z.string().superRefine((text, context) => {
  const parsed = parseSurt(text);
  if (typeof parsed === 'string') context.addIssue({ code: 'custom', message: parsed });
});

/** A reason has words. */
function isReason(text: string): boolean {
  return text.trim().split(/\s+/).length > 1;
}

const match = z.strictObject({
  hosts: names.optional(),
  domains: names.optional(),
  surts: z.array(surt).min(1).optional(),
  patterns: z.array(z.string()).min(1).optional(),
});

const ofPolicy = Object.entries(schemasOf(({ overlay }) => overlay !== undefined));

const set = {
  ...Object.fromEntries(ofPolicy.map(([name, schema]) => [name, schema.optional()])),
  budget: z.int().min(0).optional(),
  leases: z.int().min(1).max(parallelLimits.leasesMax).optional(),
  window: windowSchema.omit({ hosts: true }).nullable().optional(),
  robotsNotAsked: z.string().refine(isReason, 'write the reason in words').max(200).nullable().optional(),
  filters: filtersSchema.omit({ lists: true }).partial().optional(),
  inScope: z.boolean().optional(),
  frontQueue: z.int().min(0).max(frontQueueLast).optional(),
};

function overlaysWith(recrawl: z.ZodType): z.ZodType<readonly OverlayConfig[]> {
  const settings = z.strictObject({ ...set, recrawl: recrawl.optional() });
  const overlay = z.strictObject({ name: z.string().min(1).max(100), match, set: settings });
  return z.array(overlay) as unknown as z.ZodType<readonly OverlayConfig[]>;
}

export const overlaysSchema = overlaysWith(overlayRuleSchema);
/** Overlays of a policy that a crawl has: those of earlier releases stay readable. */
export const storedOverlaysSchema = overlaysWith(storedOverlayRuleSchema);

/** Throws INVALID_ARGUMENT, with the field and the remedy, for contradictory overlays. */
export function checkOverlays({ overlays = [], sink, recrawl, budget }: PolicyConfig): void {
  const known = new Set<string>();
  overlays.forEach(({ name, match, set }, index) => {
    const at = `policy.overlays[${index}]`;
    if (known.has(name))
      throw refused(
        `${at}.name`,
        `an earlier overlay already has the name ${name}`,
        'give each overlay a different name',
      );
    known.add(name);
    if (Object.keys(match).length === 0)
      throw refused(
        `${at}.match`,
        'match is empty, so the overlay matches no URL',
        'add hosts, domains, surts or patterns to match',
      );
    const fields = Object.keys(set);
    if (fields.length === 0)
      throw refused(`${at}.set`, 'set is empty, so the overlay changes nothing', 'add a setting, as in delayMs: 2000');
    const part = partOfHosts(match);
    const whole = settingsOfHosts.find((field) => fields.includes(field));
    if (part !== null && whole !== undefined)
      throw refused(
        `${at}.set.${whole}`,
        `this setting applies to whole hosts, but ${part} matches only part of a host`,
        'move it to an overlay that matches hosts, domains, or SURTs without scheme and path',
      );
    if (set.recrawl !== undefined && recrawl === undefined)
      throw refused(
        `${at}.set.recrawl`,
        'the policy has no recrawl schedule',
        'set `recrawl` in the policy first (crawl --recrawl)',
      );
    if (set.budget !== undefined && budget === undefined)
      throw refused(
        `${at}.set.budget`,
        'the policy has no budgets',
        'set `budget` in the policy first (crawlstream policy set FILE)',
      );
  });
  if (overlays.length > 0 && sink === 'pull')
    throw refused(
      'policy.overlays',
      'overlays have no effect in a crawl that clients pull URLs from',
      'remove the overlays',
    );
}

/** The first entry that does not match whole hosts; null: all do. */
function partOfHosts({ surts = [], patterns = [] }: OverlayConfig['match']): string | null {
  const at = surts.findIndex((text) => {
    const parsed = parseSurt(text);
    return typeof parsed === 'string' || !isOfHosts(parsed);
  });
  if (at >= 0) return `match.surts[${at}]`;
  return patterns.length > 0 ? 'match.patterns[0]' : null;
}

function refused(field: string, why: string, remedy: string): CrawlstreamError {
  return new CrawlstreamError('INVALID_ARGUMENT', `${field}: ${why}; ${remedy}`);
}
