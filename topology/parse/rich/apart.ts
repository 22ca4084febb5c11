/** Whether an element's name and attributes set its text apart from the main text. */
import type { Attributes } from './markup.ts';

/**
 * `element`: HTML itself says so. `named`: a class or an id does, which wrappers of whole pages bear too. `comments`: what
 * readers wrote below a text, which is a forum's main text. Empty: nothing says so.
 */
export type Apart = '' | 'element' | 'named' | 'comments' | 'inset';

/** Never main, with all they hold. */
const apartNames = new Set(
  'nav aside footer form button select textarea noscript template dialog menu object audio video canvas'.split(' '),
);
const apartRoles = /^(navigation|banner|contentinfo|complementary|search|dialog|alertdialog|menu|menubar)$/i;
/** Whole words of a class or an id. */
const apartWords =
  /(^|[\s_-])(nav|navbar|menu|breadcrumbs?|sidebar|footer|cookies?|consent|banner|share|sharing|social|related|recommended|advert|advertisement|ads?|promo|newsletter|subscribe|pagination|pager|tags)($|[\s_-])/i;
const commentWords = /(^|[\s_-])(comments?|disqus)($|[\s_-])/i;
const hiddenStyle = /display\s*:\s*none|visibility\s*:\s*hidden/i;

export function apartOf(name: string, attributes: Attributes, inMain: boolean): Apart {
  if (apartNames.has(name)) return 'element';
  // The header of an article is its title; that of a page is not.
  if (name === 'header') return inMain ? '' : 'element';
  if (attributes.size === 0) return '';
  if (attributes.has('hidden') || attributes.get('aria-hidden') === 'true') return 'element';
  if (apartRoles.test(attributes.get('role') ?? '')) return 'element';
  // Page-wide wrappers bear all kinds of names.
  if (name === 'body' || name === 'html' || name === 'p') return '';
  if (hiddenStyle.test(attributes.get('style') ?? '')) return 'named';
  const [ofClass, id] = [attributes.get('class') ?? '', attributes.get('id') ?? ''];
  if (ofClass === '' && id === '') return '';
  const names = `${ofClass} ${id}`;
  if (apartWords.test(names)) return ofClass === 'sidebar' ? 'inset' : 'named';
  return commentWords.test(names) ? 'comments' : '';
}
