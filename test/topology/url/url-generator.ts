/** A seeded source of URLs and links, from plain to hostile: equal seeds, equal sequences. */
export interface UrlGenerator {
  /** An integer in [0, below). */
  next(below: number): number;
  absolute(): string;
  /** What may stand in an href: absolute, root-relative, relative, query, fragment, or junk. */
  href(): string;
}

const plainHost = 'abxyz019-n';
const plainPath = 'abAB09/-._~';
const odd = 'abz09AZ-_.~!$&\'()*+,;:@/%?#[]|^` \\"<>{}é=\t\n€';
const hosts = [
  'example.org',
  'WWW.Example.com.',
  'localhost',
  '127.0.0.1',
  '0x7f.1',
  '[::1]',
  'b%C3%BCcher.de',
  'xn--bcher-kva.de',
];
const ports = ['', '', '', ':80', ':443', ':8080', ':', ':0', ':00080', ':65536'];
const pathParts = [
  '/a',
  '/.',
  '/..',
  '//',
  '/%2e',
  '/%2E%2e',
  '/%7e',
  '/%zz',
  '/%c3%a9',
  '/%41%',
  '/%%341',
  '/(S(abc))',
  '/http:',
  '/index.html',
  '/x.JPG',
];
const matrix = [';jsessionid=AB', ';a=b', ';sid=1;c', ';', ''];
const parameters = [
  'a=1',
  'b=',
  'b',
  '=1',
  '',
  'utm_source=x',
  'UTM%5fmedium=y',
  'PHPSESSID=1',
  'sid=2',
  'gclid=3',
  'q=a+b',
  'q=%20',
  'x[y]=1',
  'é=2',
  "o='",
  'z=%e9',
];

export function urlGenerator(seed: number): UrlGenerator {
  let state = seed >>> 0;
  const next = (below: number) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
  const pick = (list: readonly string[] | string) => list[next(list.length)]!;
  const many = (max: number, make: () => string) => Array.from({ length: next(max + 1) }, make).join('');

  const host = () => {
    if (next(4) === 0) return pick(hosts);
    const label = () => pick('abx') + many(3, () => (next(15) === 0 ? pick(odd) : pick(plainHost)));
    return `${label()}${many(2, () => `.${label()}`)}.${pick(['com', 'org', 'co', 'x0', '0x1', '1'])}`;
  };
  const path = () => {
    if (next(2) === 0) return many(4, () => pick(pathParts) + (next(4) === 0 ? pick(matrix) : ''));
    return many(12, () => (next(12) === 0 ? pick(odd) : pick(plainPath)));
  };
  const query = () => (next(3) > 0 ? '' : `?${Array.from({ length: next(5) }, () => pick(parameters)).join('&')}`);
  const fragment = () => (next(6) > 0 ? '' : pick(['#', '#top', '#!state', '# x\t']));
  const tail = () => `${path()}${query()}${fragment()}`;
  const absolute = () => {
    const scheme =
      next(10) > 0 ? pick(['http://', 'https://']) : pick(['HTTP://', 'https:/', 'http:\\\\', 'ftp://', 'mailto:']);
    const user = next(15) === 0 ? 'u:p@' : '';
    return `${scheme}${user}${host()}${pick(ports)}/${tail()}`;
  };
  const href = () => {
    switch (next(7)) {
      case 0:
        return absolute();
      case 1:
      case 2:
        return `/${tail()}`;
      case 3:
        return `//${host()}/${tail()}`;
      case 4:
        return `${query()}${fragment()}`;
      case 5:
        return many(10, () => pick(odd));
      default:
        return pick(['', '', './', '../', 'a/', ' ']) + path().replace(/^\/+/, '') + query();
    }
  };
  return { next, absolute, href };
}
