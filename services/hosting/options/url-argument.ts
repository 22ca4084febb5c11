/** URLs and hosts as people type them. */
import { CrawlstreamError } from '../../../topology/errors.ts';
import { hostKeyOf } from '../../../topology/url/host-key.ts';
import { compileNormalizer, type NormalizeRefusal, refusalOf } from '../../../topology/url/normalize.ts';
import { withScheme } from '../../../topology/url/seed.ts';
import { urlLimits } from '../../../topology/url/url-limits.ts';

const remedies: Readonly<Record<NormalizeRefusal, string>> = {
  malformed: 'it is not a URL; write one such as https://example.org/path',
  scheme: 'its scheme is not supported; write an http or https URL',
  length: `it is too long; shorten it to ${urlLimits.urlCharsMax} characters`,
};

/**
 * Normalizes a URL with the default normaliser; adds `https://` if the scheme is missing. Throws INVALID_ARGUMENT if
 * the URL cannot be crawled.
 */
export function normalUrl(given: string): string {
  const typed = withScheme(given);
  const url = compileNormalizer()(typed);
  if (url !== null) return url;
  const shown = given.length > 100 ? `${given.slice(0, 100)}…` : given;
  throw new CrawlstreamError('INVALID_ARGUMENT', `url ${JSON.stringify(shown)}: ${remedies[refusalOf(typed)]}`);
}

/** The host key of a host, or of a URL of it. */
export function hostArgument(given: string): string {
  return hostKeyOf(normalUrl(given));
}
