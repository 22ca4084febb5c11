/**
 * A computed web, for clients of a frontier: the links of a page, its response time, and whether it fails. It is the
 * same at each run.
 */
export interface ImaginedPage {
  readonly links: readonly string[];
  readonly tookMs: number;
  readonly isError: boolean;
}

export interface ImaginedWeb {
  readonly hosts: number;
  readonly pagesPerHost: number;
}

const linksPerPage = 10;

export function urlOf(host: number, page: number): string {
  return `http://host-${host}.test/page/${page}`;
}

/** Eight of ten links stay on their host; one page of fifty fails. */
export function pageAt({ hosts, pagesPerHost }: ImaginedWeb, url: string): ImaginedPage {
  const [host, page] = [...url.matchAll(/\d+/g)].map(Number) as [number, number];
  const random = sequence(host * 7_919 + page + 1);
  const links = Array.from({ length: linksPerPage }, (_, n) => {
    const to = n < 8 ? host : random() % hosts;
    return urlOf(to, random() % pagesPerHost);
  });
  return { links, tookMs: 20 + (random() % 80), isError: random() % 50 === 0 };
}

/** Marsaglia's xorshift. */
function sequence(seed: number): () => number {
  let word = Math.imul(seed, 0x9e3779b1) | 1;
  return () => {
    word ^= word << 13;
    word ^= word >>> 17;
    word ^= word << 5;
    return word >>> 0;
  };
}
