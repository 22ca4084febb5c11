/**
 * Finds what one request is sent with under the request rules, in one step per request. Secrets are read once, at the
 * start.
 */
import { compileNormalizer } from '../../../topology/url/normalize.ts';
import type { Clock } from '../../runtime/clock.ts';
import { readSecret } from '../../runtime/secret.ts';
import { hostFits } from '../connect/host-pattern.ts';
import { createProxyChoice, type ProxyChoice } from '../connect/proxy-choice.ts';
import type { ProxyServer } from '../connect/proxy-tunnel.ts';
import type { RequestRuleInput } from './request-rules-schema.ts';
import { createSessions, type Sessions } from './sessions.ts';

/** How a request differs from a plain GET. */
export interface RequestManner {
  readonly method: 'GET' | 'POST' | 'PUT';
  /** Null: none. */
  readonly body: string | null;
  /** Names and values in turn, beside the usual ones; of two of a name, these count. */
  readonly headers: readonly string[];
  /** Names of headers that records of the request leave out, in lower case; `body`: its body. */
  readonly secrets: readonly string[];
  /** Null: straight to the host. */
  readonly proxies: ProxyChoice | null;
}

export interface RequestRules {
  /** `hostname` is the URL's. Undefined: a plain GET, straight to the host. */
  mannerOf(url: string, hostname: string): RequestManner | undefined;
  /** Where cookies are kept; null: nowhere. */
  readonly sessions: Sessions | null;
}

interface Rule {
  readonly hosts: readonly string[];
  readonly urls: ReadonlySet<string>;
  readonly manner: Partial<RequestManner>;
}

/** Number of hosts whose result is kept, so that rules are not gone through for each request. */
const mannersMax = 10_000;

/** `say` is told of proxies that fail, and of those that come back. Throws INVALID_ARGUMENT for a secret that is not there. */
export function compileRequestRules(
  inputs: readonly RequestRuleInput[],
  clock: Clock,
  say?: (text: string) => void,
): RequestRules {
  const rules = inputs.flatMap((input, index) => [
    compileRule(input, `requests[${index}]`, clock, say),
    ...loginRules(input, `requests[${index}].session.login`),
  ]);
  const single = new Set(rules.flatMap(({ urls }) => [...urls]));
  const manners = new Map<string, RequestManner | undefined>();
  return {
    sessions: sessionsOf(inputs, clock, say),
    mannerOf(url, hostname) {
      if (single.has(url))
        return merged(
          rules.filter((rule) => rule.urls.has(url) || rule.hosts.some((pattern) => hostFits(pattern, hostname))),
        );
      if (!manners.has(hostname)) {
        if (manners.size >= mannersMax) manners.clear();
        manners.set(
          hostname,
          merged(rules.filter((rule) => rule.hosts.some((pattern) => hostFits(pattern, hostname)))),
        );
      }
      return manners.get(hostname);
    },
  };
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

/** How the login of a rule is sent: as the form that a browser would send. */
function loginRules({ session }: RequestRuleInput, field: string): Rule[] {
  if (typeof session !== 'object') return [];
  const { url, form } = session.login;
  const body = new URLSearchParams();
  for (const [name, value] of Object.entries(form))
    body.append(name, typeof value === 'string' ? value : readSecret(value, `${field}.form.${name}`));
  const headers = ['content-type', 'application/x-www-form-urlencoded'];
  const manner = { method: 'POST', body: body.toString(), headers, secrets: ['body'] } as const;
  return [{ hosts: [], urls: new Set([new URL(url).href]), manner }];
}

function merged(rules: readonly Rule[]): RequestManner | undefined {
  if (rules.length === 0) return undefined;
  const headers = new Map<string, string>();
  const secrets = new Set<string>();
  let manner: RequestManner = { method: 'GET', body: null, headers: [], secrets: [], proxies: null };
  for (const rule of rules) {
    const named = rule.manner.headers ?? [];
    for (let i = 0; i < named.length; i += 2) headers.set(named[i]!, named[i + 1]!);
    for (const name of rule.manner.secrets ?? []) secrets.add(name);
    manner = { ...manner, ...rule.manner };
  }
  return { ...manner, headers: [...headers].flat(), secrets: [...secrets] };
}

function compileRule(input: RequestRuleInput, field: string, clock: Clock, say?: (text: string) => void): Rule {
  const { method, body, proxies } = input;
  return {
    hosts: input.hosts ?? [],
    urls: new Set((input.urls ?? []).flatMap(spellings)),
    manner: {
      headers: headersOf(input, field),
      secrets: (input.redact ?? []).map((name) => name.toLowerCase()),
      ...(method !== undefined && { method, body: body ?? null }),
      ...(proxies !== undefined && {
        proxies: createProxyChoice(
          proxies.map((proxy, index) => compileProxy(proxy, `${field}.proxies[${index}]`)),
          input.rotate ?? 'host',
          clock,
          say,
        ),
      }),
    },
  };
}

/** As it is given, and as it is asked for: in normal form, as the frontier has URLs. */
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

/** A proxy that is given as a URL alone has none of the other fields. */
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
