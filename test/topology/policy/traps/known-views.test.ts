import assert from 'node:assert/strict';
import { test } from 'node:test';
import { knownView } from '../../../../topology/policy/traps/known-views.ts';
import { defaultTraps } from '../../../../topology/policy/traps/trap-config.ts';
import { trapOf } from '../../../../topology/policy/traps/traps.ts';
import { crawlThrough } from './crawl-through.ts';

const site = 'http://a.org';
const commit = '0123456789abcdef0123456789abcdef01234567';

/** As each program spells them; null: a page of its own. */
const rows: Readonly<Record<string, Readonly<Record<string, string | null>>>> = {
  MediaWiki: {
    '/index.php?title=Main_Page&action=edit': '?action=',
    '/index.php?title=Main_Page&action=history': '?action=',
    '/index.php?title=Main_Page&action=info': '?action=',
    '/wiki/Main_Page?action=edit&section=2': '?action=',
    '/index.php?title=New_page&action=edit&redlink=1': '?action=',
    '/index.php?title=Main_Page&oldid=17': '?oldid=',
    '/index.php?title=Main_Page&diff=prev&oldid=17': '?oldid=',
    '/index.php?title=Main_Page&printable=yes': '?print',
    '/index.php?title=Special:WhatLinksHere/River_1': '?special',
    '/wiki/Special:RecentChangesLinked/River_1': '?special',
    '/index.php?title=Special:UserLogin&returnto=Main+Page': '?special',
    '/wiki/Special:SpecialPages': null,
    '/index.php?title=Main_Page': null,
    '/index.php?title=Special:AllPages&from=B': null,
    '/index.php?title=Category:Rivers&pagefrom=M': null,
    '/index.php?title=Main_Page&action=view': null,
  },
  DokuWiki: {
    '/doku.php?id=start&do=edit': '?do=',
    '/doku.php?id=start&do=revisions': '?do=',
    '/start?do=export_xhtml': '?do=',
    '/doku.php?id=start&rev=1659312000': '?rev=',
    '/doku.php?id=start': null,
    '/doku.php?id=start&do=index': null,
    '/doku.php?id=wiki:syntax&do=show': null,
  },
  WordPress: { '/2026/11/post/?replytocom=7': '?replytocom=', '/?p=7': null, '/?paged=2': null },
  phpBB: {
    '/posting.php?mode=reply&f=2&t=7': '?mode=',
    '/viewforum.php?f=2&sk=t&sd=d&st=0': '?mode=',
    '/viewtopic.php?f=2&t=7&view=print': '?print',
    '/viewtopic.php?f=2&t=7': null,
    '/viewforum.php?f=2&start=25': null,
  },
  Discourse: { '/t/hello/12/print': '?print', '/t/hello/12': null, '/t/print/12': null },
  gitweb: {
    '/?p=a.git;a=commitdiff;h=1234': '?a=',
    [`/?p=a.git;a=blob;f=x.c;h=${commit};hb=${commit}`]: '?a=',
    '/?p=a.git;a=tree': null,
    '/?p=a.git;a=summary': null,
    [`/?p=a.git;a=commit;h=${commit}`]: null,
  },
  cgit: {
    [`/a.git/tree/src/x.c?id=${commit}`]: '?id=',
    [`/a.git/diff/?id=${commit}&id2=${commit}`]: '?id=',
    '/a.git/tree/src/x.c': null,
    [`/a.git/commit/?id=${commit}`]: null,
  },
  Gitea: {
    [`/me/a/src/commit/${commit}/x.c`]: '?commit',
    [`/me/a/blame/commit/${commit}/x.c`]: '?commit',
    '/me/a/src/branch/main/x.c': null,
    [`/me/a/commit/${commit}`]: null,
  },
  Trac: {
    '/wiki/Start?action=diff&version=3': '?action=',
    '/wiki/Start?version=3': '?oldid=',
    '/browser/trunk/x.c?rev=12': '?order=',
    '/query?status=new&order=id&desc=1': '?order=',
    '/query?desc=1&order=id&status=new': '?order=',
    '/query?order=priority&status=!closed': null,
    '/report/3?asc=1&sort=owner': '?order=',
    '/report/3?sort=owner': '?order=',
    '/report/3?format=csv&sort=owner': '?order=',
    '/report/3?format=tab': '?format=',
    '/ticket/12?format=rss': '?format=',
    '/wiki/Start?format=txt': '?format=',
    '/timeline?authors=&daysback=30&from=2026-11-21': '?from=',
    '/report/3': null,
    '/timeline': null,
    '/wiki/Start': null,
    '/ticket/12': null,
    '/browser/trunk/x.c': null,
  },
  MoinMoin: {
    '/FrontPage?action=AttachFile': '?action=',
    '/FrontPage?action=raw': '?action=',
    '/FrontPage?action=print': '?print',
    '/+history/Home': '?action=',
    '/+modify/Home/Sub?contenttype=text': '?action=',
    '/FrontPage': null,
    '/+index/': null,
    '/c/c++/diff': null,
  },
  JSPWiki: {
    '/Edit.jsp?page=Main': '?action=',
    '/Diff.jsp?page=Main&r1=2&r2=1': '?action=',
    '/PageInfo.jsp?page=Main': '?action=',
    '/Login.jsp?redirect=Main': '?action=',
    '/Wiki.jsp?page=Main&version=2': '?oldid=',
    '/Wiki.jsp?page=Main': null,
    '/Search.jsp': null,
  },
  ikiwiki: { '/ikiwiki.cgi?do=edit&page=index': '?do=', '/ikiwiki.cgi?page=a&do=goto': '?do=', '/index/': null },
  MyBB: {
    '/printthread.php?tid=7': '?print',
    '/newreply.php?tid=7': '?mode=',
    '/showthread.php?tid=7': null,
    '/forumdisplay.php?fid=2&page=2': null,
  },
  'Simple Machines Forum': { '/index.php?action=printpage;topic=1.0': '?print', '/index.php?topic=1.0': null },
  hgweb: {
    '/shortlog/tip?revcount=120': '?revcount=',
    '/annotate/0123456789ab/src/x.c': '?commit',
    '/file/0123456789ab/src/x.c': '?commit',
    '/log/0123456789ab/src/x.c': '?commit',
    '/graph/0123456789ab': '?commit',
    '/rev/0123456789ab': null,
    '/file/0123456789ab/': null,
    '/file/tip/src/x.c': null,
    '/annotate/tip/src/x.c': null,
    '/shortlog': null,
  },
  Fossil: {
    '/vinfo/0123456789?diff=1': '?ci=',
    '/hexdump?name=0123456789abcdef': '?ci=',
    '/vpatch?from=0123456789&to=1123456789': '?ci=',
    '/fdiff?v1=0123456789&v2=1123456789': '?ci=',
    '/annotate?checkin=0123456789&filename=src/x.c': '?ci=',
    '/file?ci=0123456789&name=src/x.c': '?ci=',
    '/tree?ci=0123456789&type=flat': '?ci=',
    '/timeline?c=0123456789&y=a': '?ci=',
    '/timeline?a=2026-11-23+18:25:41&c=0123456789&y=a': '?ci=',
    '/doc/0123456789/src/x.c': '?ci=',
    '/artifact/0123456789': '?ci=',
    '/ci/0123456789?diff=2': '?ci=',
    '/ci/0123456789': null,
    '/info/0123456789': null,
    '/file?name=src/x.c': null,
    '/finfo?name=src/x.c': null,
    '/doc/trunk/README.md': null,
    '/tktview/0123456789': null,
    '/wiki?name=River1': null,
    '/timeline': null,
  },
  'Gogs, GitBucket, klaus, SourceHut, GitLab': {
    [`/me/a/src/${commit}/x.c`]: '?commit',
    [`/me/a/blob/${commit}/x.c`]: '?commit',
    [`/a/tree/${commit}`]: '?commit',
    [`/~me/a/log/${commit}/x.c`]: '?commit',
    [`/me/a/-/blame/${commit}/x.c`]: '?commit',
    [`/me/a/-/archive/${commit}.zip`]: '?commit',
    '/me/a/blob/main/x.c': null,
    [`/me/a/-/commit/${commit}`]: null,
    [`/a/commit/${commit}/`]: null,
  },
  Redmine: {
    '/projects/a/activity?from=2026-11-01': '?from=',
    '/projects/a/issues/calendar?month=12&year=2026': '?from=',
    '/issues?set_filter=1&sort=id:desc': '?order=',
    '/projects/a/issues': null,
    '/issues?page=2': null,
    '/issues/12': null,
  },
  others: {
    '/file/0123456789ab': null,
    '/photos/0123456789abcdef': null,
    '/download?name=report-2026': null,
    '/timeline?c=europe': null,
    '/graph/2026': null,
    '/tree?name=oak': null,
    '/log/in': null,
    '/diff?from=a': null,
    '/search?action=find': null,
    '/shop?do=order': null,
    '/home.php?mod=space&do=draft': null,
    '/page?rev=2': null,
    '/docs?version=3': null,
    '/data?format=csv': null,
    '/report/annual?sort=year': null,
    '/trains?from=Bern': null,
    '/a?hb=1&a=tree': null,
    '/blog/how-to-print': null,
    '/print': null,
    '/news/commit/to-peace': null,
  },
};

for (const [software, urls] of Object.entries(rows)) {
  test(`views of ${software} are recognised by its pages`, () => {
    for (const [path, pattern] of Object.entries(urls))
      assert.equal(knownView(site + path)?.pattern ?? null, pattern, path);
  });
}

test('a view waits in its trap until an operator releases the pattern', () => {
  const trap = trapOf(defaultTraps, undefined, `${site}/index.php?title=A&action=edit`)!;
  assert.deepEqual([trap.pattern, trap.reason], ['?action=', 'knownViews']);
  const released = { trapped: [], released: [trap] };
  assert.equal(trapOf(defaultTraps, released, `${site}/index.php?title=A&action=edit`), null);
  assert.equal(trapOf(defaultTraps, released, `${site}/index.php?title=A&oldid=4`)?.pattern, '?oldid=');
});

test('a wiki’s articles are fetched, and none of the views of each', () => {
  const articles = 60;
  const crawled = crawlThrough(
    (url) => {
      const n = Number(/A(\d+)/.exec(url)?.[1] ?? 0);
      const wiki = `${site}/index.php?title=A`;
      const views = ['edit', 'history', 'info'].map((action) => `${wiki}${n}&action=${action}`);
      const old = Array.from({ length: 20 }, (_, i) => `${wiki}${n}&oldid=${n * 20 + i}`);
      return { links: [...views, ...old, `${wiki}${n}&printable=yes`, `${wiki}${(n + 1) % articles}`] };
    },
    [`${site}/index.php?title=A0`],
  );
  assert.equal(crawled.fetched.length, articles);
});

test('an address made to take for ever is no view', () => {
  // 12,000 characters: for a pattern with three gaps, the cube of it.
  const endless = `${site}/${'esc=/query?'.repeat(600)}esc=d${'esc=sort='.repeat(600)}esc=`;
  const before = process.cpuUsage();
  assert.equal(knownView(endless), null);
  const { user } = process.cpuUsage(before);
  assert.ok(user < 1_000_000, `${user / 1000} ms`);
});
