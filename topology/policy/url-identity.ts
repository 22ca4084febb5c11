/**
 * The fields of `normalize` that decide which URLs are one page. They are fixed by a crawl's first policy, because
 * admitted URLs are stored under their normal form. With other values, the crawl would admit, fetch and publish known
 * pages a second time, under other names.
 */
import { CrawlstreamError } from '../errors.ts';
import type { NormalizeConfig } from '../url/normalize-config.ts';
import type { PolicyConfig } from './policy.ts';

/** Words of `--same-url`, and the fields that each sets. */
export const sameUrlWords = {
  slash: { trailingSlash: 'drop' },
  https: { scheme: 'https' },
  http: { scheme: 'http' },
  empty: { emptyValues: 'drop' },
  index: { indexPages: true },
  www: { www: true },
  ref: { dropParameters: ['ref', 'source'] },
} as const satisfies Readonly<Record<string, Partial<NormalizeConfig>>>;
export type SameUrlWord = keyof typeof sameUrlWords;

/** The fields that the given words set. */
export function normalizeOf(words: readonly SameUrlWord[], before: NormalizeConfig): NormalizeConfig {
  return Object.assign({ ...before }, ...words.map((word) => sameUrlWords[word])) as NormalizeConfig;
}

const fixedAlways = ['trailingSlash', 'scheme', 'emptyValues'] as const;
/**
 * These could once be changed, and recorded crawls have done so: commands refuse such a change, and a frontier decides
 * as it did then.
 */
const fixed = [...fixedAlways, 'indexPages', 'www'] as const;

/**
 * The first field in which two policies differ; null: they agree. `recorded`: only fields that no crawl has ever
 * changed.
 */
export function otherIdentity(
  a: Pick<PolicyConfig, 'normalize'>,
  b: Pick<PolicyConfig, 'normalize'>,
  recorded = false,
): string | null {
  const field = (recorded ? fixedAlways : fixed).find(
    (name) => (a.normalize[name] ?? false) !== (b.normalize[name] ?? false),
  );
  return field === undefined ? null : `normalize.${field}`;
}

/** Throws INVALID_ARGUMENT if a later policy would give known URLs other names. */
export function checkIdentity(inForce: Pick<PolicyConfig, 'normalize'>, next: Pick<PolicyConfig, 'normalize'>): void {
  const field = otherIdentity(inForce, next);
  if (field === null) return;
  throw new CrawlstreamError(
    'INVALID_ARGUMENT',
    `policy.${field}: this field decides which URLs count as the same, and cannot change during a crawl; restore its old value, or start a new crawl (crawl --same-url, with another --data)`,
  );
}
