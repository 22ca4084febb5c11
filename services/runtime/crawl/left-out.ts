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

/** From an outcome's detail, which may hold more. Fetchers of 0.3.0 named no URLs. */
export function leftOutIn(detail: string): LeftOut[] {
  // A normal URL holds no space.
  const parts = detail.matchAll(/(?:^|; )plugin (\S+(?: \S+)*?) left out (\d+) links?(?:: (\S+?(?: \S+?)*?))?(?=; |$)/g);
  return [...parts].map(([, plugin = '', links = '0', urls]) => ({
    plugin,
    links: Number(links),
    urls: urls?.split(' ') ?? [],
  }));
}
