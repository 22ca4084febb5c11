/**
 * The target of an archived page's link when the page is shown: in the archive, at the page's own time, or nowhere.
 *
 * The link is resolved as by a browser (URL standard) before its scheme is checked. Only embedded data (`data:`) and
 * fragments (`#…`) stay unchanged; scripts (`javascript:`), files and other schemes lead nowhere.
 */
import { canParse } from '../../../../../topology/url/can-parse.ts';
import { withoutEnds } from '../../../../../topology/url/without-ends.ts';

export interface Linker {
  readonly base: string;
  /** The new link; null: unchanged. */
  lead(written: string): string | null;
  /** A linker for the same page with another base (`<base href>`). */
  withBase(base: string): Linker;
}

const nowhere = '#';

/** `time`: 14 digits. `url`: URL of the page. */
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

/** `href`: normalised. A query may contain a backslash; some readers take it for a slash. */
export function pathOf(time: string, href: string): string {
  return `/web/${time}/${href.replaceAll('\\', '%5C')}`;
}
