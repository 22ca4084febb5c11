/** Security and identity: the hosts that a crawler must not contact, and the headers that identify it. */
import {
  type Check,
  check,
  type Fault,
  type Level,
  linksTo,
  rfc,
  type SuiteRequest,
  type Visit,
} from '../check/check.ts';
import { headerOf } from '../check/verdict.ts';
import { tokenOf } from './robots-row.ts';

const ssrf = 'https://cheatsheetseries.owasp.org/cheatsheets/Server_Side_Request_Forgery_Prevention_Cheat_Sheet.html';
const ports = 'https://fetch.spec.whatwg.org/#port-blocking';
const key = (path: string, headers: Readonly<Record<string, string>> = {}) => ({ key: path, waitMs: 0, headers });

/** Addresses that a crawler of the public web does not contact, as URLs name them. */
const addresses: readonly (readonly [name: string, what: string, host: string, seen?: readonly string[]])[] = [
  ['loopback', 'loopback', '127.0.0.1'],
  ['loopback-other', 'another loopback address', '127.8.8.8'],
  ['loopback-decimal', 'a loopback address written as one number', '2130706433', ['127.0.0.1', '2130706433']],
  ['loopback-hexadecimal', 'a loopback address in hexadecimal', '0x7f000001', ['127.0.0.1', '0x7f000001']],
  ['loopback-octal', 'a loopback address in octal', '0177.0.0.1', ['127.0.0.1', '0177.0.0.1']],
  ['loopback-short', 'a loopback address in short form', '127.1', ['127.0.0.1', '127.1']],
  ['loopback-ipv6', 'the loopback address of IPv6', '[::1]'],
  [
    'loopback-mapped',
    'a loopback address mapped into IPv6',
    '[::ffff:127.0.0.1]',
    ['[::ffff:127.0.0.1]', '[::ffff:7f00:1]'],
  ],
  ['localhost', 'localhost', 'localhost'],
  ['unspecified', 'the unspecified address', '0.0.0.0'],
  ['private-10', 'a private address of 10.0.0.0/8', '10.0.0.1'],
  ['private-172', 'a private address of 172.16.0.0/12', '172.16.0.1'],
  ['private-192', 'a private address of 192.168.0.0/16', '192.168.0.1'],
  ['metadata', 'the metadata service of a cloud', '169.254.169.254'],
  ['unique-local', 'a unique local address of IPv6', '[fd00::1]'],
];

const odd: readonly (readonly [port: number, name: string])[] = [
  [22, 'SSH'],
  [25, 'SMTP'],
  [6379, 'Redis'],
];

const forbidden = (host: string, seen: readonly string[] = [host]) => seen.map((one) => `//${one}/x`);

/** Redirects may lead to addresses that a filter of links rejects. */
const redirected: readonly (readonly [name: string, what: string, host: string])[] = [
  ['loopback', 'loopback', '127.0.0.1'],
  ['metadata', 'the metadata service of a cloud', '169.254.169.254'],
  ['private-10', 'a private address', '10.0.0.1'],
];

const wrong = (requests: readonly SuiteRequest[], why: string): Fault | undefined =>
  requests.length > 0 ? { why, requests } : undefined;

export const securityChecks: readonly Check[] = [
  ...addresses.map(([name, what, host, seen]) =>
    check(`security/link-${name}`, 'practice', ssrf, `a link to ${what} is not followed`, {
      pages: { '/': linksTo(`http://${host}:{port}/{slug}/x`, '/control') },
      control: '/control',
      never: forbidden(host, seen),
      weight: 3,
    }),
  ),
  ...redirected.map(([name, what, host]) =>
    check(`security/redirect-${name}`, 'practice', ssrf, `a redirect to ${what} is not followed`, {
      pages: {
        '/': linksTo('/go', '/control'),
        '/go': { status: 302, headers: [['Location', `http://${host}:{port}/{slug}/x`]] },
      },
      control: '/go',
      never: forbidden(host),
      weight: 4,
    }),
  ),
  check('security/robots-redirect-loopback', 'practice', ssrf, 'a redirect of robots.txt to loopback is not followed', {
    pages: { '/robots.txt': { status: 302, headers: [['Location', 'http://127.0.0.1:{port}/{slug}/x']] } },
    control: '/robots.txt',
    never: ['//127.0.0.1/x'],
    weight: 4,
  }),
  check('security/sitemap-loopback', 'practice', ssrf, 'a sitemap on loopback is not read', {
    pages: {
      '/robots.txt': {
        type: 'text/plain',
        body: 'User-agent: *\nDisallow:\nSitemap: http://127.0.0.1:{port}/{slug}/x\n',
      },
    },
    control: '/robots.txt',
    never: ['//127.0.0.1/x'],
    weight: 4,
  }),
  ...odd.map(([port, name]) =>
    check(`security/port-${port}`, 'practice', ports, `a link to the port of ${name} is not followed`, {
      pages: { '/': linksTo(`http://{name}:${port}/x`, '/control') },
      control: '/control',
      never: [`:${port}/x`],
      weight: 2,
    }),
  ),
  check(
    'security/credentials-in-link',
    'practice',
    rfc(9110, '4.2.4'),
    'the user and password of a link go to no other host',
    {
      pages: { '/': linksTo('http://me:secret@{name}:{port}/in', '/control'), '/in': linksTo('{b}/x') },
      control: '/control',
      fault: ({ asked }) =>
        wrong(
          asked('b/x').filter((request) => headerOf(request, 'authorization') !== undefined),
          'Authorization went to another host.',
        ),
      planted: () => [key('/'), key('/control'), key('b/x', { authorization: 'Basic bWU6c2VjcmV0' })],
    },
  ),
  check(
    'security/credentials-on-redirect',
    'MUST',
    'https://fetch.spec.whatwg.org/#http-redirect-fetch',
    'credentials are not sent after a redirect to another host',
    {
      pages: {
        '/': linksTo('http://me:secret@{name}:{port}/in', '/control'),
        '/in': { status: 302, headers: [['Location', '{b}/x']] },
      },
      control: '/control',
      weight: 4,
      fault: ({ asked }) =>
        wrong(
          asked('b/x').filter((request) => headerOf(request, 'authorization') !== undefined),
          'Authorization went to another host.',
        ),
      planted: () => [key('/'), key('/control'), key('b/x', { authorization: 'Basic bWU6c2VjcmV0' })],
    },
  ),
  check('security/referer-without-secrets', 'MUST', rfc(9110, '10.1.3'), 'Referer holds no password and no fragment', {
    pages: { '/': linksTo('http://me:secret@{name}:{port}/in#part', '/control'), '/in': linksTo('/x') },
    control: '/control',
    fault: ({ requests }) =>
      wrong(
        requests.filter((request) => /secret|#/.test(headerOf(request, 'referer') ?? '')),
        'Referer holds a secret.',
      ),
    planted: () => [key('/'), key('/control'), key('/x', { referer: 'http://me:secret@a.test/in#part' })],
  }),
  check('security/only-get', 'practice', rfc(9110, '9.2.1'), 'only GET and HEAD are sent', {
    control: '/control',
    weight: 5,
    fault: ({ requests }) =>
      wrong(
        requests.filter(({ method }) => !/^(GET|HEAD)$/.test(method)),
        'Another method came.',
      ),
    planted: () => [key('/'), key('/control'), { ...key('/control'), method: 'DELETE' }],
  }),
  check('security/local-files', 'practice', ssrf, 'links to file URLs are not asked of the host', {
    pages: { '/': linksTo('file:///etc/passwd', 'file://{name}/x', '/control') },
    control: '/control',
    never: ['/etc/passwd', '/file:///etc/passwd', '/x'],
    weight: 2,
  }),
];

/** Requests with a header that is wrong. */
const headers =
  (name: string, isRight: (value: string | undefined) => boolean, why: string) =>
  ({ requests }: Visit): Fault | undefined =>
    wrong(
      requests.filter((request) => !isRight(headerOf(request, name))),
      why,
    );

function identity(
  name: string,
  level: Level,
  source: string,
  title: string,
  field: string,
  isRight: (value: string | undefined) => boolean,
  bad: string,
  weight?: number,
): Check {
  return check(`identity/${name}`, level, source, title, {
    control: '/control',
    fault: headers(field, isRight, `${field} is ${bad === '' ? 'missing' : 'wrong'}.`),
    planted: () => [key('/robots.txt'), key('/'), key('/control', { [field]: bad })],
    ...(weight === undefined ? {} : { weight }),
  });
}

const guidelines = 'https://www.rfc-editor.org/rfc/rfc9110.html#section-10.1.5';
const botAuth = 'https://datatracker.ietf.org/doc/draft-meunier-web-bot-auth-architecture/';

export const identityChecks: readonly Check[] = [
  identity(
    'user-agent',
    'SHOULD',
    guidelines,
    'each request has a User-Agent',
    'user-agent',
    (value) => value !== undefined && value !== '',
    '',
    4,
  ),
  identity(
    'product',
    'SHOULD',
    guidelines,
    'User-Agent begins with a product token',
    'user-agent',
    (value) => /^[!#$%&'*+.^_`|~0-9A-Za-z-]+(\/\S+)?( |$)/.test(value ?? ''),
    '(no product)',
  ),
  identity(
    'contact',
    'practice',
    'https://www.rfc-editor.org/rfc/rfc9309.html#section-2.2.1',
    'User-Agent holds a URL or mail address of the operator',
    'user-agent',
    (value) => /https?:\/\/|@[\w-]+\.\w/.test(value ?? ''),
    'crawler/1.0',
    3,
  ),
  identity(
    'not-a-browser',
    'practice',
    guidelines,
    'User-Agent does not pose as a browser',
    'user-agent',
    (value) =>
      !/^Mozilla\/.*(Chrome|Firefox|Safari)\//.test(value ?? '') || /compatible;|bot|crawl|spider/i.test(value ?? ''),
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0 Safari/537.36',
    4,
  ),
  identity(
    'from',
    'MUST',
    rfc(9110, '10.1.2'),
    'From, if sent, is a mail address',
    'from',
    (value) => value === undefined || /^[^\s@]+@[^\s@]+$/.test(value),
    'me',
  ),
  identity(
    'no-forged-address',
    'practice',
    rfc(7239, '8.1'),
    'no request forges the address of a client',
    'x-forwarded-for',
    (value) => value === undefined || /^(127\.0\.0\.1|::1)$/.test(value),
    '203.0.113.7',
    3,
  ),
  identity(
    'no-forged-referer',
    'practice',
    rfc(9110, '10.1.3'),
    'Referer, if sent, names no search engine',
    'referer',
    (value) => !/google|bing|yahoo/.test(value ?? ''),
    'https://www.google.com/',
    2,
  ),
  check(
    'identity/same-for-robots',
    'MUST',
    rfc(9309, '2.2.1'),
    'robots.txt and pages are asked for by the same product',
    {
      want: ['/a'],
      weight: 3,
      fault: ({ requests }) => {
        const names = new Set(requests.map((request) => tokenOf(headerOf(request, 'user-agent') ?? '')));
        return names.size > 1 ? { why: `Products: ${[...names].join(', ')}.`, requests } : undefined;
      },
      planted: () => [
        key('/robots.txt'),
        key('/'),
        key('/a', { 'user-agent': 'Other/1.0 (+https://crawler.example/)' }),
      ],
    },
  ),
  check(
    'identity/signature-complete',
    'MUST',
    botAuth,
    'a signed request has Signature, Signature-Input and Signature-Agent',
    {
      control: '/control',
      fault: ({ requests }) =>
        wrong(
          requests.filter((request) => {
            const have = ['signature', 'signature-input', 'signature-agent'].map(
              (name) => headerOf(request, name) !== undefined,
            );
            return have[0] !== have[1] || (have[0] === true && !have[2]);
          }),
          'A part of the signature is missing.',
        ),
      planted: () => [key('/'), key('/control', { signature: 'sig1=:AA==:' })],
    },
  ),
];
