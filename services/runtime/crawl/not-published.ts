/**
 * The reason why a page that was fetched is not published, at the beginning of its outcome's detail: fetchers write it,
 * commands read it.
 */
const mark = 'not published: ';

/** `detail`: of the outcome, so far. */
export function notPublishedText(why: string, detail: string): string {
  return detail === '' ? `${mark}${why}` : `${mark}${why}; ${detail}`;
}

/** Empty: the page was published. */
export function notPublishedIn(detail: string): string {
  // Links that plugins left out may follow.
  return detail.startsWith(mark) ? detail.slice(mark.length).split('; plugin ', 1)[0]! : '';
}
