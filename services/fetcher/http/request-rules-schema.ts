/**
 * The schema of request rules: additions to requests for some hosts or URLs, and their proxies.
 *
 * All rules in the list that match a URL apply in turn, later ones over earlier ones. Credentials are sent to origins
 * (RFC 6454), not to names. For a named host, these are https on its default port, and the origins of the crawl's
 * seeds; another port, and plain http, get credentials only if the rule names that origin. Redirects are not followed
 * within a request, and their targets are matched against the rules again.
 */

import { z } from 'zod';
import { canParse } from '../../../topology/url/can-parse.ts';
import { secretSchema } from '../../runtime/secret.ts';
import { hostFits, hostOrOriginSchema } from '../connect/host-pattern.ts';

/** RFC 9110 §5.6.2. */
const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const headerValue = z
  .string()
  .regex(/^[\t\x20-\x7e\x80-\xff]*$/, 'is not a header value: remove control characters and line breaks');
const cookieValue = z
  .string()
  .regex(/^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]*$/, 'is not a cookie value (RFC 6265 §4.1.1)');

/** Headers that only the crawler may set: framing, identity and those that follow from the URL. */
const reserved = new Set(['host', 'connection', 'content-length', 'transfer-encoding', 'upgrade', 'te', 'expect']);
const identity = new Set(['user-agent', 'if-none-match', 'if-modified-since', 'accept-encoding']);

const headerName = z
  .string()
  .regex(token, 'is not a header name')
  .refine((name) => !reserved.has(name.toLowerCase()), 'is set by the connection')
  .refine((name) => !identity.has(name.toLowerCase()), 'cannot be set here: use --user-agent')
  .refine(
    (name) => !/^(authorization|proxy-authorization|cookie)$/i.test(name),
    'carries a secret: use auth, cookies or proxies instead',
  );

/** Protocols by which a proxy resolves the names itself. */
const byName = /^socks(?:4a|5h):/;
const unfiltered =
  'socks4a and socks5h resolve names at the proxy, which bypasses the check for private addresses: use socks5, or write ' +
  '{ url, filters: true } for a proxy that refuses private addresses';

const proxyUrlWanted =
  'write http://, https://, socks4a://, socks5:// or socks5h://HOST:PORT, with the password beside it';

const proxySchema = z.strictObject({
  url: z.string().refine(isProxyUrl, proxyUrlWanted),
  user: z.string().min(1).optional(),
  password: secretSchema.optional(),
  /**
   * The proxy refuses private addresses, so that it is given names. Absent: it is given addresses that were checked
   * here.
   */
  filters: z.boolean().optional(),
});

/** A form as a browser sends it; values that are secret by reference. */
const loginSchema = z.strictObject({
  url: z.url({ protocol: /^https?$/ }),
  form: z.record(z.string().min(1), z.union([z.string(), secretSchema])),
});

/** The crawler's identity at a site that agreed to another name. */
const identitySchema = z.strictObject({
  userAgent: z
    .string()
    .max(256)
    .regex(/^[A-Za-z][A-Za-z0-9_-]{0,63}(?:[/ ][ -~]*)?$/, 'must start with a name, as in NewsBot/2.1 (partner)'),
  /** Absent: the first word of the User-Agent. */
  robotsTokens: z
    .array(z.string().regex(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/, 'is not a product token, such as NewsBot'))
    .min(1)
    .optional(),
});

const ruleSchema = z
  .strictObject({
    hosts: z.array(hostOrOriginSchema).min(1).optional(),
    urls: z
      .array(z.url({ protocol: /^https?$/ }))
      .min(1)
      .optional(),
    identity: identitySchema.optional(),
    headers: z.record(headerName, headerValue).optional(),
    cookies: z.record(z.string().regex(token, 'is not a cookie name'), z.union([cookieValue, secretSchema])).optional(),
    auth: z
      .union([
        z.strictObject({
          basic: z.strictObject({
            user: z.string().regex(/^[^:]*$/, 'a user name cannot contain a colon'),
            password: secretSchema,
          }),
        }),
        z.strictObject({ bearer: secretSchema }),
      ])
      .optional(),
    proxies: z
      .array(
        z.union([proxySchema.shape.url.transform((url) => ({ url })), proxySchema], {
          error: `write a proxy as its URL, or as { url, user, password, filters }: ${proxyUrlWanted}`,
        }),
      )
      .min(1)
      .refine((proxies) => proxies.every((proxy) => !byName.test(proxy.url) || ('filters' in proxy && proxy.filters)), {
        error: unfiltered,
      })
      .optional(),
    session: z
      .union([z.literal('cookies'), z.strictObject({ login: loginSchema })], {
        error: 'write session: cookies, or session: { login: { url, form } }',
      })
      .optional(),
    rotate: z.enum(['host', 'request']).optional(),
    method: z.enum(['GET', 'POST', 'PUT']).optional(),
    body: z.string().max(65_536).optional(),
    contentType: headerValue.optional(),
    /** Parts to leave out of the request's records, beside credentials: names of headers, or `body`. */
    redact: z.array(z.string().regex(token, 'is neither a header name nor body')).optional(),
  })
  .refine((rule) => (rule.hosts === undefined) !== (rule.urls === undefined), 'needs either hosts or urls')
  .refine((rule) => rule.method === undefined || rule.urls !== undefined, {
    path: ['method'],
    error: 'works only for single URLs: list them in urls',
  })
  .refine((rule) => rule.body === undefined || (rule.method ?? 'GET') !== 'GET', {
    path: ['body'],
    error: 'needs method POST or PUT',
  })
  .refine((rule) => rule.identity === undefined || rule.hosts !== undefined, {
    path: ['identity'],
    error: 'works only for hosts, since robots.txt applies to a whole host: list them in hosts',
  })
  .refine((rule) => rule.session === undefined || rule.hosts !== undefined, {
    path: ['session'],
    error: 'works only for hosts: list them in hosts',
  })
  .refine((rule) => loginFits(rule), {
    path: ['session', 'login', 'url'],
    error: 'is on a host that is not in hosts: a login works only for its own host',
  })
  .refine((rule) => rule.rotate === undefined || rule.proxies !== undefined, {
    path: ['rotate'],
    error: 'needs proxies',
  });

export const requestRulesSchema = z.array(ruleSchema);

export type RequestRuleInput = z.infer<typeof ruleSchema>;

function loginFits({
  session,
  hosts = [],
}: {
  readonly session?: unknown;
  readonly hosts?: string[] | undefined;
}): boolean {
  const { login } = (typeof session === 'object' ? session : {}) as { readonly login?: { readonly url: string } };
  if (login === undefined) return true;
  const { hostname } = new URL(login.url);
  return hosts.some((pattern) => hostFits(pattern, hostname));
}

function isProxyUrl(text: string): boolean {
  if (!canParse(text)) return false;
  const { protocol, hostname, port, username, password, pathname } = new URL(text);
  if (!/^(https?|socks4a|socks5h?):$/.test(protocol) || hostname === '' || username + password !== '') return false;
  return (port !== '' || protocol.startsWith('http')) && (pathname === '' || pathname === '/');
}
