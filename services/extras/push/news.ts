/** URLs that a sender reports as new or changed, and the rule which of them the sender may report as changed. */
import { canParse } from '../../../topology/url/can-parse.ts';
import { hostnameOf } from '../../../topology/url/host-key.ts';
import { registrableDomain } from '../../../topology/url/registrable-domain.ts';

export interface News {
  /** Due at once, known or not. */
  readonly due: readonly string[];
  /** Links that were found, for the policy to judge. */
  readonly found: readonly string[];
  /** The page that contains them, a normal URL. Empty: none. */
  readonly foundOn: string;
}

/** The URLs of a feed's delivery: the feed itself, and its entries. Those of the feed's own site are due. */
export function newsOf(topic: string, entries: readonly string[]): News {
  const own = siteOf(topic);
  const isOwn = (url: string) => url === topic || (canParse(url) && siteOf(url) === own);
  return {
    due: [topic, ...entries.filter((url) => url !== topic && isOwn(url))],
    found: entries.filter((url) => !isOwn(url)),
    foundOn: topic,
  };
}

/** The registrable domain of a URL, or its host if there is none. */
function siteOf(url: string): string {
  const hostname = hostnameOf(new URL(url).href);
  return registrableDomain(hostname) ?? hostname;
}
