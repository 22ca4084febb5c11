/** Links that a plugin's URL filter left out, as the outcome of their page names them: fetchers write it, commands read it. */
import { counted } from '../counted.ts';

export interface LeftOut {
  readonly plugin: string;
  readonly links: number;
  /** The first of them, normal. */
  readonly urls: readonly string[];
}

/** Empty: no plugin left a link out. */
export function leftOutText(all: readonly LeftOut[]): string {
  return all
    .map(({ plugin, links, urls }) => {
      const some = urls.length === 0 ? '' : `: ${urls.join(' ')}`;
      return `plugin ${plugin} left out ${counted(links, 'link')}${some}`;
    })
    .join('; ');
}

const mark = ' left out ';

/** Finds them in an outcome's detail, which may contain more. Fetchers of 0.3.0 listed no URLs. */
export function leftOutIn(detail: string): LeftOut[] {
  // A normal URL contains no space.
  return detail.split('; ').flatMap((part) => {
    const at = part.indexOf(mark);
    if (!part.startsWith('plugin ') || at < 0) return [];
    const [links = '', word, ...urls] = part.slice(at + mark.length).split(' ');
    if (!/^\d{1,9}$/.test(links) || !/^links?:?$/.test(word ?? '')) return [];
    return [{ plugin: part.slice('plugin '.length, at), links: Number(links), urls }];
  });
}
