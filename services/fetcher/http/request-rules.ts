/**
 * Finds what one request is sent with under the request rules, in one step per request. Secrets are read once, at the
 * start.
 */
import { compileNormalizer } from '../../../topology/url/normalize.ts';
import type { Clock } from '../../runtime/clock.ts';
import { readSecret } from '../../runtime/secret.ts';
import { hostFits, originOfPattern } from '../connect/host-pattern.ts';
import { createProxyChoice, type ProxyChoice } from '../connect/proxy-choice.ts';
import type { ProxyServer } from '../connect/proxy-tunnel.ts';
import type { RequestRuleInput } from './request-rules-schema.ts';
import { createSessions, type Sessions } from './sessions.ts';

/** Differences of a request from a plain GET. */
export interface RequestManner {
  readonly method: 'GET' | 'POST' | 'PUT';
  /** Null: none. */
  readonly body: string | null;
  /** Additional headers, names and values alternating. They replace usual ones of the same name. */
  readonly headers: readonly string[];
  /** Names of headers that records of the request leave out, in lower case; `body`: its body. */
  readonly secrets: readonly string[];
  /** Null: straight to the host. */
  readonly proxies: ProxyChoice | null;
}

export interface RequestRules {
  /** `hostname` is the URL's. Undefined: a plain GET, straight to the host. */
  mannerOf(url: string, hostname: string): RequestManner | undefined;
  /** The store of cookies; null: none. */
  readonly sessions: Sessions | null;
}

interface Rule {
  /** Patterns of names. */
  readonly hosts: readonly string[];
  readonly origins: ReadonlySet<string>;
  readonly urls: ReadonlySet<string>;
  readonly manner: Partial<RequestManner>;
  /** `manner` without what only some origins may have. */
  readonly untrusted: Partial<RequestManner>;
}

/** Number of origins with a cached result, so that rules are not matched for each request. */
const mannersMax = 10_000;

/**
 * `say` reports proxies that fail, and that recover. `seedOrigins`: origins of the operator's seeds. Throws
 * INVALID_ARGUMENT for a missing secret.
 */
export function compileRequestRules(
  inputs: readonly RequestRuleInput[],
  clock: Clock,
  say?: (text: string) => void,
  seedOrigins: readonly string[] = [],
): RequestRules {
  const rules = inputs.flatMap((input, index) => [
    compileRule(input, `requests[${index}]`, clock, say),
    ...loginRules(input, `requests[${index}].session.login`),
  ]);
  const single = new Set(rules.flatMap(({ urls }) => [...urls]));
  const seeds = new Set(seedOrigins);
  const manners = new Map<string, RequestManner | undefined>();
  /** The matching rules' parts that the origin may have. */
  const fitting = (url: string, hostname: string, origin: string): Partial<RequestManner>[] =>
    rules.flatMap((rule) => {
      const isNamed = rule.urls.has(url) || rule.origins.has(origin);
      if (!isNamed && !rule.hosts.some((pattern) => hostFits(pattern, hostname))) return [];
      const isTrusted = isNamed || seeds.has(origin) || origin === `https://${hostname}`;
      return [isTrusted ? rule.manner : rule.untrusted];
    });
  return {
    sessions: sessionsOf(inputs, clock, say),
    mannerOf(url, hostname) {
      const origin = originOf(url);
      if (single.has(url)) return merged(fitting(url, hostname, origin));
      if (!manners.has(origin)) {
        if (manners.size >= mannersMax) manners.clear();
        manners.set(origin, merged(fitting(url, hostname, origin)));
      }
      return manners.get(origin);
    },
  };
}

/** Scheme, host and port of a normal URL. */
function originOf(url: string): string {
  const end = url.indexOf('/', url.indexOf('//') + 2);
  return end < 0 ? url : url.slice(0, end);
}

function sessionsOf(
  inputs: readonly RequestRuleInput[],
  clock: Clock,
  say: ((text: string) => void) | undefined,
): Sessions | null {
  const kept = inputs.filter(({ session }) => session !== undefined);
  if (kept.length === 0) return null;
  const logins = kept.flatMap(({ session }) => (typeof session === 'object' ? [new URL(session.login.url).href] : []));
  return createSessions(
    kept.flatMap(({ hosts }) => hosts ?? []),
    logins,
    () => clock.nowMs(),
    say,
  );
}

/** The rule that sends a login: as the form that a browser would send. */
function loginRules({ session }: RequestRuleInput, field: string): Rule[] {
  if (typeof session !== 'object') return [];
  const { url, form } = session.login;
  const body = new URLSearchParams();
  for (const [name, value] of Object.entries(form))
    body.append(name, typeof value === 'string' ? value : readSecret(value, `${field}.form.${name}`));
  const headers = ['content-type', 'application/x-www-form-urlencoded'];
  const manner = { method: 'POST', body: body.toString(), headers, secrets: ['body'] } as const;
  return [{ hosts: [], origins: new Set(), urls: new Set([new URL(url).href]), manner, untrusted: manner }];
}

function merged(manners: readonly Partial<RequestManner>[]): RequestManner | undefined {
  if (manners.length === 0) return undefined;
  const headers = new Map<string, string>();
  const secrets = new Set<string>();
  let manner: RequestManner = { method: 'GET', body: null, headers: [], secrets: [], proxies: null };
  for (const one of manners) {
    const named = one.headers ?? [];
    for (let i = 0; i < named.length; i += 2) headers.set(named[i]!, named[i + 1]!);
    for (const name of one.secrets ?? []) secrets.add(name);
    manner = { ...manner, ...one };
  }
  return { ...manner, headers: [...headers].flat(), secrets: [...secrets] };
}

function compileRule(input: RequestRuleInput, field: string, clock: Clock, say?: (text: string) => void): Rule {
  const { method, body, proxies } = input;
  const hosts = input.hosts ?? [];
  const headers = headersOf(input, field);
  const secrets = (input.redact ?? []).map((name) => name.toLowerCase());
  const credentials = new Set(['authorization', 'cookie', ...secrets]);
  const isPlain = (_: string, at: number) => !credentials.has(headers[at - (at % 2)]!);
  const manner: Partial<RequestManner> = {
    headers,
    secrets,
    ...(method !== undefined && { method, body: body ?? null }),
    ...(proxies !== undefined && {
      proxies: createProxyChoice(
        proxies.map((proxy, index) => compileProxy(proxy, `${field}.proxies[${index}]`)),
        input.rotate ?? 'host',
        clock,
        say,
      ),
    }),
  };
  return {
    hosts: hosts.filter((pattern) => originOfPattern(pattern) === null),
    origins: new Set(hosts.flatMap((pattern) => originOfPattern(pattern) ?? [])),
    urls: new Set((input.urls ?? []).flatMap(spellings)),
    manner,
    untrusted: { ...manner, headers: headers.filter(isPlain) },
  };
}

/** A URL as written, and in the normal form in which the frontier requests it. */
function spellings(url: string): string[] {
  const { href } = new URL(url);
  return [href, normalize(href) ?? href];
}

const normalize = compileNormalizer();

function headersOf({ headers, cookies, auth, contentType }: RequestRuleInput, field: string): string[] {
  const flat = Object.entries(headers ?? {}).flatMap(([name, value]) => [name.toLowerCase(), value]);
  if (contentType !== undefined) flat.push('content-type', contentType);
  if (cookies !== undefined) {
    const value = (name: string, cookie: (typeof cookies)[string]) =>
      typeof cookie === 'string' ? cookie : readSecret(cookie, `${field}.cookies.${name}`);
    flat.push(
      'cookie',
      Object.entries(cookies)
        .map(([name, cookie]) => `${name}=${value(name, cookie)}`)
        .join('; '),
    );
  }
  if (auth !== undefined && 'bearer' in auth) {
    flat.push('authorization', `Bearer ${readSecret(auth.bearer, `${field}.auth.bearer`)}`);
  } else if (auth !== undefined) {
    const { user, password } = auth.basic;
    const pair = `${user}:${readSecret(password, `${field}.auth.basic.password`)}`;
    flat.push('authorization', `Basic ${Buffer.from(pair).toString('base64')}`);
  }
  return flat;
}

/** A proxy that is given as a URL only has none of the other fields. */
type ProxyInput = Partial<Extract<NonNullable<RequestRuleInput['proxies']>[number], { filters?: unknown }>>;

function compileProxy(input: NonNullable<RequestRuleInput['proxies']>[number], field: string): ProxyServer {
  const { protocol, hostname, port } = new URL(input.url);
  const scheme = protocol.slice(0, -1);
  const kind = scheme === 'socks4a' ? 'socks4' : scheme === 'socks5h' ? 'socks5' : (scheme as ProxyServer['kind']);
  const { user, password, filters }: ProxyInput = input;
  const numbered = Number(port || (scheme === 'https' ? 443 : 80));
  return {
    kind,
    hostname: hostname.replace(/^\[|\]$/g, ''),
    port: numbered,
    user: user ?? '',
    password: password === undefined ? '' : readSecret(password, `${field}.password`),
    resolves: scheme !== 'socks5' && filters === true,
    label: `${scheme}://${hostname}:${numbered}`,
  };
}
