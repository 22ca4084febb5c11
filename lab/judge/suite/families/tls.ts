/** TLS as a browser checks it: certificates, versions, names, and the border between http and https. */
import { type CertificateKind, certificateKinds } from '../check/certificate-kinds.ts';
import { type Check, check, hrefOf, type Level, linksTo, rfc, type Secure, type Visit } from '../check/check.ts';
import { headerOf } from '../check/verdict.ts';

const page = 'https:b/x';
/** A page behind a right certificate: a crawler that reads it speaks TLS, and trusts the authority of the suite. */
const control = 'https:c/good';
const identity = rfc(9110, '4.3.4');

const wrongCertificates: readonly (readonly [name: string, kind: CertificateKind])[] = [
  ['expired', 'expired'],
  ['not-yet-valid', 'early'],
  ['other-name', 'otherName'],
  ['self-signed', 'selfSigned'],
  ['unknown-authority', 'unknown'],
  ['for-clients', 'clientOnly'],
  ['issued-by-host', 'issuedByHost'],
];

function read(name: string, level: Level, source: string, title: string, b: Secure, weight = 2): Check {
  return check(`tls/${name}`, level, source, title, { secure: { b }, want: [page], weight });
}

/** A host with TLS that fails is not contacted without it. */
function noFallback(name: string, title: string, b: Secure): Check {
  return check(`tls/no-fallback-${name}`, 'MUST', rfc(9110, '4.2.2'), title, {
    secure: { b },
    pages: { '/': linksTo(hrefOf(page), hrefOf(control)) },
    control,
    never: ['b/x', 'b/robots.txt'],
    weight: 4,
  });
}

/** No request without TLS has this value in this field: it came over TLS. */
function kept(
  name: string,
  source: string,
  title: string,
  field: string,
  value: string,
  headers: readonly (readonly [string, string])[],
): Check {
  const faultOf = ({ asked }: Visit) => {
    const requests = asked('b/x').filter((request) => (headerOf(request, field) ?? '').includes(value));
    return requests.length > 0 ? { why: `${field} held ${value}.`, requests } : undefined;
  };
  return check(`tls/${name}`, 'MUST', source, title, {
    pages: { '/': linksTo(hrefOf('https:b/in')), 'https:b/in': { headers, body: linksTo(hrefOf('b/x')) } },
    control: 'https:b/in',
    weight: 3,
    fault: faultOf,
    planted: () => [
      ...['/robots.txt', '/', 'https:b/in'].map((key) => ({ key, waitMs: 0 })),
      { key: 'b/x', waitMs: 0, headers: { [field]: value } },
    ],
  });
}

const disallowAll = { type: 'text/plain', body: 'User-agent: *\nDisallow: /\n' };

export const tlsChecks: readonly Check[] = [
  read('page', 'MUST', rfc(9110, '4.2.2'), 'a page over https is read', {}, 4),
  read('only-1-2', 'MUST', rfc(9325, '3.1.1'), 'a host that speaks only TLS 1.2 is read', { version: 'TLSv1.2' }),
  read('only-1-3', 'SHOULD', rfc(9325, '3.1.1'), 'a host that speaks only TLS 1.3 is read', { version: 'TLSv1.3' }),
  read('no-alpn', 'MUST', rfc(9113, '3.2'), 'a server that ignores ALPN is spoken to in HTTP/1.1', { protocols: [] }),
  read('intermediate', 'MUST', rfc(5280, '6.1'), 'a certificate with an intermediate authority is accepted', {
    certificate: 'chain',
  }),
  check('tls/wildcard', 'MUST', rfc(9525, '6.3'), 'a wildcard stands for one label of a name', {
    secure: { 'www.': { certificate: 'wildcard' } },
    want: ['https:www./x'],
    weight: 2,
  }),
  check('tls/wildcard-two-labels', 'MUST', rfc(9525, '6.3'), 'a wildcard does not stand for two labels', {
    secure: { 'a.www.': { certificate: 'wildcard' } },
    control,
    never: ['https:a.www./x'],
    weight: 2,
  }),
  ...wrongCertificates.map(([name, kind]) =>
    check(
      `tls/certificate-${name}`,
      'SHOULD',
      identity,
      `no request follows a certificate that ${certificateKinds[kind]}`,
      { secure: { b: { certificate: kind } }, control, never: [page] },
    ),
  ),
  check('tls/old-version', 'MUST', rfc(8996, '5'), 'a host that speaks only TLS 1.1 gets no request', {
    secure: { b: { version: 'TLSv1.1' } },
    control,
    never: [page],
    weight: 2,
  }),
  check('tls/server-name', 'MUST', rfc(8446, '9.2'), 'the handshake names the host', {
    control: page,
    weight: 2,
    fault: ({ requests }) => {
      const silent = requests.filter(({ tls }) => tls !== undefined && tls.serverName === undefined);
      return silent.length > 0 ? { why: 'The handshake named no host.', requests: silent } : undefined;
    },
    planted: () => [...['/robots.txt', '/', page].map((key) => ({ key })), { key: page, namesNoHost: true }],
  }),
  noFallback('certificate', 'a host with a wrong certificate is not asked without TLS', { certificate: 'expired' }),
  noFallback('text', 'a host that answers a handshake with text is not asked without TLS', {
    text: 'HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n',
  }),
  check('tls/redirect-to-https', 'SHOULD', rfc(9110, '15.4'), 'a redirect from http to https is followed', {
    pages: { '/': linksTo('/go'), '/go': { status: 301, headers: [['Location', hrefOf(page)]] } },
    want: [page],
    weight: 3,
  }),
  check('tls/redirect-to-http', 'SHOULD', rfc(9110, '15.4'), 'a redirect from https to http is followed', {
    pages: {
      '/': linksTo(hrefOf('https:b/go')),
      'https:b/go': { status: 301, headers: [['Location', hrefOf('b/x')]] },
    },
    want: ['b/x'],
  }),
  check(
    'tls/link-without-scheme',
    'MUST',
    'https://url.spec.whatwg.org/#scheme-relative-special-url-string',
    'a link without a scheme on a page over https leads to https',
    {
      pages: { '/': linksTo(hrefOf('https:b/in')), 'https:b/in': linksTo('//c-{name}:{port}/x') },
      want: ['https:c/x'],
      never: ['c/x'],
    },
  ),
  check('tls/robots-of-https', 'MUST', rfc(9309, '2.3'), 'rules of the robots.txt over https hold for https', {
    pages: { '/': linksTo(hrefOf(page), hrefOf(control)), 'https:b/robots.txt': disallowAll },
    control,
    never: [page],
    weight: 4,
  }),
  check('tls/robots-of-http', 'MUST', rfc(9309, '2.3'), 'rules of the robots.txt over http do not hold for https', {
    pages: { '/': linksTo(hrefOf(page), hrefOf('b/y')), 'b/robots.txt': disallowAll },
    want: [page],
    never: ['b/y'],
    weight: 2,
  }),
  kept('referer', rfc(9110, '10.1.3'), 'no request without TLS has a Referer of https', 'referer', 'https://', []),
  kept('secure-cookie', rfc(6265, '5.4'), 'a cookie with Secure is not sent without TLS', 'cookie', 'secret=1', [
    ['Set-Cookie', 'secret=1; Secure; Path=/'],
  ]),
];
