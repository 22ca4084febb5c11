/**
 * Optional parts of a page beyond links and text, each only on request: main text, language, metadata for machines,
 * links to media and scripts, and tidy markup for a user's selectors. One pass over the page produces all of them.
 */
import { languageOf } from '../../content/language.ts';
import { declaredCode } from '../../content/language-codes.ts';
import { resolveHttp } from '../hrefs.ts';
import type { LinkSpelling } from '../legacy-encodings.ts';
import { createMainText } from './main-text.ts';
import { readMarkup } from './markup.ts';
import { createMediaLinks, type MediaLinksWanted } from './media-links.ts';
import { createMetadataReader, type Metadata } from './metadata.ts';
import { richLimits } from './rich-limits.ts';
import { createTidyMarkup } from './tidy-markup.ts';

export interface RichWanted {
  readonly mainText: boolean;
  /** Markdown of the main text. */
  readonly markdown: boolean;
  readonly language: boolean;
  readonly metadata: boolean;
  readonly mediaLinks: MediaLinksWanted;
  /** For selectors. */
  readonly tidyMarkup: boolean;
}

export interface RichPage {
  /** Empty: not wanted, or nothing is. */
  readonly mainText: string;
  /** The main text with headings, lists, tables, code and links. Empty: not wanted, or nothing is. */
  readonly markdown: string;
  /** The language that `<html lang>` declares, in lower case; empty: none. */
  readonly declaredLanguage: string;
  /** ISO 639-1 code, detected in the main text; empty: not wanted, or unknown. */
  readonly language: string;
  readonly metadata: Metadata | null;
  /** As written, to be resolved against the page's base. */
  readonly mediaLinks: readonly string[];
  /** Empty: not wanted. */
  readonly tidyMarkup: string;
  /** False if the deadline cut the page. */
  readonly complete: boolean;
}

/** `base`: what links are relative to. `spell`: how they are written in the page's encoding. */
export function readRichPage(
  html: string,
  wanted: RichWanted,
  base: string,
  expired: () => boolean,
  spell: LinkSpelling = (href) => href,
): RichPage {
  // A link within the page leads nowhere outside of it.
  const resolve = (href: string) =>
    href === '' || href.startsWith('#') || href.length > richLimits.linkCharsMax
      ? null
      : resolveHttp(spell(href), base);
  const isRead = wanted.mainText || wanted.markdown || wanted.language;
  const main = isRead ? createMainText(wanted.markdown ? resolve : undefined) : null;
  const metadata = wanted.metadata ? createMetadataReader() : null;
  const { images, scripts, data } = wanted.mediaLinks;
  const media = images || scripts || data === true ? createMediaLinks(wanted.mediaLinks) : null;
  const tidy = wanted.tidyMarkup ? createTidyMarkup() : null;
  let declaredLanguage = '';
  let inTitle = false;
  const complete = readMarkup(
    html,
    {
      open(name, attributes) {
        if (name === 'html') declaredLanguage ||= (attributes.get('lang') ?? '').trim().toLowerCase().slice(0, 35);
        inTitle = name === 'title';
        main?.open(name, attributes);
        metadata?.open(name, attributes);
        media?.open(name, attributes);
        tidy?.open(name, attributes);
      },
      close(name) {
        inTitle = false;
        main?.close(name);
        metadata?.close(name);
        tidy?.close(name);
      },
      text(text, raw) {
        if (raw) {
          metadata?.rawText(text);
          media?.rawText(text);
          return;
        }
        if (!inTitle) main?.text(text);
        tidy?.text(text);
      },
    },
    expired,
  );
  const { text: mainText, markdown } = main?.finish() ?? { text: '', markdown: '' };
  return {
    mainText: wanted.mainText ? mainText : '',
    markdown,
    declaredLanguage,
    language: wanted.language ? languageOf(mainText, declaredLanguage) || declaredCode(declaredLanguage) : '',
    metadata: metadata?.finish() ?? null,
    mediaLinks: media?.finish() ?? [],
    tidyMarkup: tidy?.finish() ?? '',
    complete,
  };
}
