/** Rewrites the names in a policy's rules to the spelling of normal URLs, and reports names that no URL can have. */
import { compileNormalizer, type Normalizer } from '../url/normalize.ts';
import { patternFault, type RuleName, ruleDomain, ruleExtension, ruleHost, rulePrefix } from '../url/rule-names.ts';
import type { PolicyConfig } from './policy.ts';

/** A name that no URL can have. It stays in the policy unchanged. */
export interface NameFault {
  /** As in `policy.filters.hostsDenied[0]`. */
  readonly field: string;
  readonly name: string;
  /** The fault, and the remedy. */
  readonly wrong: string;
}

type Fields<T> = { readonly [K in keyof T]?: (text: string) => RuleName };
type Filters = PolicyConfig['filters'];
type Match = NonNullable<PolicyConfig['overlays']>[number]['match'];

const pattern = (text: string): RuleName => {
  const wrong = patternFault(text);
  return wrong === null ? { name: text } : { wrong };
};
/** After one of these characters, the rest of a URL may change how the prefix is normalised. */
const openEnd = /[/.%?&;=]$/;
const prefix =
  (normalize: Normalizer) =>
  (text: string): RuleName => {
    const named = rulePrefix(text);
    if ('wrong' in named || openEnd.test(named.name)) return named;
    const normal = normalize(named.name);
    if (normal === null || normal.startsWith(named.name)) return named;
    return {
      wrong: `no URL of this crawl starts like this: its normal form is ${normal}; write that, or a part of it`,
    };
  };
/** `*` means all hosts. */
const domainOrAll = (text: string): RuleName => (text === '*' ? { name: text } : ruleDomain(text));

const ofFilters = (normalize: Normalizer): Fields<Filters> => ({
  hostsAllowed: ruleHost,
  hostsDenied: ruleHost,
  domainsAllowed: ruleDomain,
  domainsDenied: ruleDomain,
  prefixesAllowed: prefix(normalize),
  prefixesDenied: prefix(normalize),
  extensionsDenied: ruleExtension,
  include: pattern,
  exclude: pattern,
});
const ofMatch: Fields<Match> = { hosts: ruleHost, domains: ruleDomain, patterns: pattern };

export function normalNames(config: PolicyConfig): {
  readonly config: PolicyConfig;
  readonly faults: readonly NameFault[];
} {
  const faults: NameFault[] = [];
  const brought = (at: string, text: string, bring: (text: string) => RuleName): string => {
    const named = bring(text);
    if ('name' in named) return named.name;
    faults.push({ field: at, name: text, wrong: named.wrong });
    return text;
  };
  /** An object, with the names in its fields brought to normal form. */
  const within = <T extends object>(at: string, one: T, fields: Fields<T>): T => {
    const changed: Record<string, unknown> = {};
    for (const [field, bring] of Object.entries(fields) as [string, (text: string) => RuleName][]) {
      const texts = (one as Record<string, unknown>)[field];
      if (Array.isArray(texts)) changed[field] = texts.map((text, i) => brought(`${at}.${field}[${i}]`, text, bring));
      else if (typeof texts === 'string') changed[field] = brought(`${at}.${field}`, texts, bring);
    }
    return { ...one, ...changed };
  };
  const each = <T extends object>(at: string, all: readonly T[] | undefined, fields: Fields<T>) =>
    all?.map((one, index) => within(`${at}[${index}]`, one, fields));

  const filtered = ofFilters(compileNormalizer(config.normalize));
  const { scope, normalize, sitemaps, trace, recrawl, pay } = config;
  const hosts = Object.entries(normalize.hosts).map(([host, rule]) => {
    return [brought(`policy.normalize.hosts.${host}`, host, ruleDomain), rule] as const;
  });
  const named = {
    filters: within('policy.filters', config.filters, filtered),
    scope:
      scope.kind === 'all'
        ? scope
        : within('policy.scope', scope, { names: scope.kind === 'host' ? ruleHost : ruleDomain }),
    normalize: { ...normalize, hosts: Object.fromEntries(hosts) },
    windows: each('policy.windows', config.windows, { hosts: domainOrAll }),
    parallel: each('policy.parallel', config.parallel, { hosts: domainOrAll }),
    metadata: each('policy.metadata', config.metadata, { sourceDomains: ruleDomain, url: pattern }),
    sitemaps: sitemaps && { ...sitemaps, rules: each('policy.sitemaps.rules', sitemaps.rules, { hosts: ruleDomain })! },
    trace: trace && within('policy.trace', trace, { hosts: domainOrAll }),
    recrawl: recrawl && {
      ...recrawl,
      rules: each('policy.recrawl.rules', recrawl.rules, { hosts: ruleDomain, url: pattern })!,
    },
    pay: typeof pay === 'object' ? within('policy.pay', pay, { hosts: ruleDomain }) : pay,
    overlays: config.overlays?.map((overlay, index) => ({
      ...overlay,
      match: within(`policy.overlays[${index}].match`, overlay.match, ofMatch),
      set: {
        ...overlay.set,
        ...(overlay.set.filters !== undefined && {
          filters: within(`policy.overlays[${index}].set.filters`, overlay.set.filters, filtered),
        }),
      },
    })),
  };
  const there = Object.entries(named).filter(([field]) => field in config);
  return { config: { ...config, ...Object.fromEntries(there) }, faults };
}
