/** What somebody says is new or has changed, and what he may say that of: whose pages they are. */
import { hostnameOf } from '../../topology/url/host-key.ts';
import { registrableDomain } from '../../topology/url/registrable-domain.ts';

export interface News {
  /** Due at once, known or not. */
  readonly due: readonly string[];
  /** Links that were found, for the policy to judge. */
  readonly found: readonly string[];
  /** Where they were found, a normal URL. Empty: nowhere. */
  readonly foundOn: string;
}

/** Of a feed's delivery: itself, and its entries. Those of its own site are due. */
export function newsOf(topic: string, entries: readonly string[]): News {
  const own = siteOf(topic);
  const isOwn = (url: string) => url === topic || (URL.canParse(url) && siteOf(url) === own);
  return {
    due: [topic, ...entries.filter((url) => url !== topic && isOwn(url))],
    found: entries.filter((url) => !isOwn(url)),
    foundOn: topic,
  };
}

/** Its registrable domain; of what has none, its host. */
function siteOf(url: string): string {
  const hostname = hostnameOf(new URL(url).href);
  return registrableDomain(hostname) ?? hostname;
}
