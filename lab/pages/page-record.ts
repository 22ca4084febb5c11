/** A page as a fetcher would publish it; fields that a test does not give are empty. */
import { blankPage } from '../../schemas/blank.ts';
import type { Page } from '../../schemas/types.ts';

export function pageRecord(given: Partial<Page> & Pick<Page, 'url'>): Page {
  return {
    ...blankPage,
    hostKey: new URL(given.url).host,
    status: 200,
    fetchedAtMs: 1_000,
    contentType: 'text/html',
    charset: 'utf-8',
    contentHash: '00',
    ...given,
  };
}
