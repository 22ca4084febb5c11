/**
 * Where a link of an archived page leads when the page is shown: into the archive, at the page's own time; or nowhere.
 *
 * What the browser makes of a link (URL standard) is what counts, so it is resolved as a browser would before its scheme is
 * looked at. Only what a page holds itself (`data:`) and places in it (`#…`) stay as they are; scripts (`javascript:`), files
 * and programs of other schemes lead nowhere.
 */
import { canParse } from '../../../../../topology/url/can-parse.ts';
import { withoutEnds } from '../../../../../topology/url/without-ends.ts';

export interface Linker {
  readonly base: string;
  /** Null: as it is. */
  lead(written: string): string | null;
  /** The same page with another base (`<base href>`). */
  withBase(base: string): Linker;
}

const nowhere = '#';

/** `time`: 14 digits. `url`: of the page. */
export function createLinker(time: string, url: string): Linker {
  return {
    base: url,
    lead(written) {
      const link = withoutEnds(written);
      if (link === '' || link.startsWith('#')) return null;
      if (/^data:/i.test(link)) return null;
      if (!canParse(link, url)) return nowhere;
      const { protocol, href } = new URL(link, url);
      if (protocol === 'http:' || protocol === 'https:') return pathOf(time, href);
      return protocol === 'data:' || href === 'about:blank' ? null : nowhere;
    },
    withBase: (base) => createLinker(time, canParse(base, url) ? new URL(base, url).href : url),
  };
}

/** `href`: normalised. A backslash may stand in a query; some readers take it for a slash. */
export function pathOf(time: string, href: string): string {
  return `/web/${time}/${href.replaceAll('\\', '%5C')}`;
}
