import { sessionParameters } from './session-parameters.ts';
import { trackingParameters } from './tracking-parameters.ts';
import { urlLimits } from './url-limits.ts';

/**
 * What the normaliser does, as plain data: the lists too, so that a stored policy decides the same under a later release. WHATWG parsing always comes first (scheme and host case, IDNA, default
 * ports, dot segments, empty path): without it there is no URL to speak of. Everything else is a step of its own.
 */
export interface NormalizeConfig {
  /** Results longer than this are refused, in characters. */
  readonly urlCharsMax: number;
  /** `drop`: no fragment is kept. `escape`: `#!x` becomes `_escaped_fragment_=x`, the AJAX crawling scheme of 2009–2015. */
  readonly fragment: 'drop' | 'escape';
  /** `example.org.` and `example.org` are one host. */
  readonly trailingDot: boolean;
  /** `//` in a path becomes `/`, except where it spells an embedded `http://`. */
  readonly duplicateSlashes: boolean;
  /** Parameters that go, whatever their case; `utm_*` stands for all that begin so (tracking-parameters.ts). */
  readonly trackingParameters: readonly string[];
  /** Session ids: they go from the query and, as `;name=…`, from the path; `sid:20`: values of 20 characters and more. Empty: none go. */
  readonly sessionParameters: readonly string[];
  /** Parameters are sorted by name; those of one name keep their order, which may carry meaning. */
  readonly sortParameters: boolean;
  /** More parameters to drop, written as those above. */
  readonly dropParameters: readonly string[];
  /** Off: `/index.html` need not be the page `/`. */
  readonly indexPages: boolean;
  /** Off: `www.example.org` need not be the site `example.org`. */
  readonly www: boolean;
  /** `drop`: `/a/` and `/a` are one URL, asked for without the slash; a redirect to the other spelling is followed. Absent: two. */
  readonly trailingSlash?: 'drop' | undefined;
  /** http and https of a host are one, asked for by this scheme, where they have their own ports. Absent: two. */
  readonly scheme?: 'http' | 'https' | undefined;
  /** `drop`: a parameter with an empty value, `a=`, goes; `a` by itself stays. Absent: both stay. */
  readonly emptyValues?: 'drop' | undefined;
  /** Off: a parameter whose value is 32 hexadecimal digits may be a session, or the id of a document. */
  readonly hashes: boolean;
  /** Rules by host name; a rule also holds for the host's subdomains, the nearest wins. */
  readonly hosts: Readonly<Record<string, HostRule>>;
}

/** Parameter names are written as in the lists above. */
export interface HostRule {
  /** Kept on this host, though a list above drops them. */
  readonly keep?: readonly string[] | undefined;
  /** Dropped on this host. */
  readonly drop?: readonly string[] | undefined;
  /** If given, all others are dropped on this host; `[]` drops the query. */
  readonly only?: readonly string[] | undefined;
}

export const defaultNormalize: NormalizeConfig = {
  urlCharsMax: urlLimits.urlCharsMax,
  // No server has announced the AJAX scheme since Google dropped it; what follows `#!` is for scripts we don't run.
  fragment: 'drop',
  trailingDot: true,
  duplicateSlashes: true,
  trackingParameters,
  sessionParameters,
  sortParameters: true,
  dropParameters: [],
  indexPages: false,
  www: false,
  hashes: false,
  hosts: {},
};
