import { sessionParameters } from './session-parameters.ts';
import { trackingParameters } from './tracking-parameters.ts';
import { urlLimits } from './url-limits.ts';

/**
 * The normaliser's settings, as plain data, including the lists, so that a stored policy decides the same under a later
 * release. WHATWG parsing always comes first (scheme and host case, IDNA, default ports, dot segments, empty path):
 * without it there is no URL. Everything else is a separate step.
 */
export interface NormalizeConfig {
  /** Results longer than this are refused, in characters. */
  readonly urlCharsMax: number;
  /** `drop`: no fragment is kept. `escape`: `#!x` becomes `_escaped_fragment_=x`, the AJAX crawling scheme of 2009–2015. */
  readonly fragment: 'drop' | 'escape';
  /** `example.org.` and `example.org` are one host. */
  readonly trailingDot: boolean;
  /** `//` in a path becomes `/`, except in an embedded `http://`. */
  readonly duplicateSlashes: boolean;
  /** Parameters to drop, in upper or lower case. `utm_*` matches all that begin with `utm_` (tracking-parameters.ts). */
  readonly trackingParameters: readonly string[];
  /** Session parameters to drop, from the query and, as `;name=…`, from the path. `sid:20` drops values of at least 20 characters. Empty: none. */
  readonly sessionParameters: readonly string[];
  /** Sort parameters by name. Parameters of one name keep their order, which may matter. */
  readonly sortParameters: boolean;
  /** More parameters to drop, written as those above. */
  readonly dropParameters: readonly string[];
  /** Treat index pages such as `/index.html` as `/`. Off, since they may differ. */
  readonly indexPages: boolean;
  /** Treat `www.example.org` as `example.org`. Off, since they may differ. */
  readonly www: boolean;
  /** `drop`: `/a/` and `/a` are one URL, requested without the slash; a redirect to the other form is followed. Absent: two URLs. */
  readonly trailingSlash?: 'drop' | undefined;
  /** Treat http and https of a host as one, requested with this scheme. Only for URLs on default ports. Absent: two URLs. */
  readonly scheme?: 'http' | 'https' | undefined;
  /** `drop`: remove a parameter with an empty value (`a=`), but keep `a` alone. Absent: keep both. */
  readonly emptyValues?: 'drop' | undefined;
  /**
   * Drop parameters with a value of 32 hexadecimal digits. Off by default, because the value may be a document's id
   * instead of a session.
   */
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
  // No server has used the AJAX scheme since Google dropped it; the text after `#!` is for scripts, which are not
  // run.
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
