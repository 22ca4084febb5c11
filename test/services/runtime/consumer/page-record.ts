/** A page as a fetcher would publish it, with what a test does not say left empty. */
import type { Page } from '../../../../schemas/types.ts';

export function pageRecord(given: Partial<Page> & Pick<Page, 'url'>): Page {
  return {
    hostKey: new URL(given.url).host,
    status: 200,
    fetchedAtMs: 1_000,
    depth: 0,
    contentType: 'text/html',
    charset: 'utf-8',
    title: '',
    description: '',
    text: '',
    canonical: '',
    contentHash: '00',
    etag: '',
    lastModified: '',
    bytes: 0,
    truncated: false,
    noindex: false,
    nofollow: false,
    links: 0,
    linksDropped: 0,
    mainText: '',
    language: '',
    metadata: '',
    fields: [],
    outlinks: [],
    rendered: false,
    ...given,
  };
}
