/** Preferences of the site that show in its requests: links that it does not want followed. */
import { type Check, check, linksTo, type Page } from '../check/check.ts';
import { tokenOf } from './robots-row.ts';

const google = 'https://developers.google.com/search/docs/crawling-indexing/qualify-outbound-links';
const robotsMeta = 'https://developers.google.com/search/docs/crawling-indexing/robots-meta-tag';

function unfollowed(
  name: string,
  title: string,
  page: Page,
  source: string,
  never: readonly string[] = ['/x'],
  want: readonly string[] = [],
): Check {
  return check(`preferences/${name}`, 'practice', source, title, {
    pages: { '/': linksTo('/page', '/control'), '/page': page },
    control: '/page',
    never,
    want,
    weight: 2,
  });
}

const link = '<a href="/x">x</a>';
const meta = (name: string, content: string) =>
  `<!doctype html><head><meta name="${name}" content="${content}"><title>t</title></head>${link}`;
const tagged = (value: string): Page => ({ headers: [['X-Robots-Tag', value]], body: link });

export const preferencesChecks: readonly Check[] = [
  unfollowed('nofollow-link', 'a link of rel=nofollow is not followed', '<a rel="nofollow" href="/x">x</a>', google),
  unfollowed(
    'nofollow-among-others',
    'nofollow counts among other words of rel',
    '<a href="/x" rel="external NoFollow noopener">x</a>',
    google,
  ),
  unfollowed('sponsored-link', 'a link of rel=sponsored is not followed', '<a rel="sponsored" href="/x">x</a>', google),
  unfollowed('ugc-link', 'a link of rel=ugc is not followed', '<a rel="ugc" href="/x">x</a>', google),
  unfollowed(
    'meta-nofollow',
    'no link of a page with meta robots nofollow is followed',
    meta('robots', 'nofollow'),
    robotsMeta,
  ),
  unfollowed('meta-none', 'meta robots none means nofollow too', meta('robots', 'none'), robotsMeta),
  unfollowed(
    'meta-case',
    'meta robots is read without regard to case',
    meta('ROBOTS', 'NOINDEX, NOFOLLOW'),
    robotsMeta,
  ),
  unfollowed(
    'header-nofollow',
    'no link of a page with X-Robots-Tag nofollow is followed',
    tagged('nofollow'),
    robotsMeta,
  ),
  unfollowed('header-none', 'X-Robots-Tag none means nofollow too', tagged('noarchive, none'), robotsMeta),
  unfollowed(
    'header-own-name',
    'X-Robots-Tag for the name of the crawler counts',
    ({ header }) => ({ headers: [['X-Robots-Tag', `${tokenOf(header('user-agent'))}: nofollow`]], body: link }),
    robotsMeta,
  ),
  unfollowed(
    'header-other-name',
    'X-Robots-Tag for another crawler does not count',
    tagged('otherbot: nofollow'),
    robotsMeta,
    [],
    ['/x'],
  ),
  unfollowed(
    'meta-other-name',
    'a meta element for another crawler does not count',
    meta('otherbot', 'nofollow'),
    robotsMeta,
    [],
    ['/x'],
  ),
  unfollowed(
    'noindex-is-followed',
    'links of a page with noindex are followed',
    meta('robots', 'noindex'),
    robotsMeta,
    [],
    ['/x'],
  ),
  check(
    'preferences/content-signal',
    'MUST',
    'https://contentsignals.org/',
    'Content-Signal and Content-Usage lines do not end a group of robots.txt',
    {
      pages: {
        '/robots.txt': {
          type: 'text/plain',
          body: 'User-agent: *\nContent-Signal: search=yes, ai-train=no\nContent-Usage: train-ai=n\nDisallow: /closed\n',
        },
      },
      want: ['/open'],
      never: ['/closed'],
    },
  ),
];
