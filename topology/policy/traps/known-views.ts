/**
 * Views of known software: other forms of the same page (edit forms, histories, differences, old versions, prints,
 * sort orders). Their number grows with each change of a page. They are recognised by the URL alone, as each program
 * spells it. Names and values must both fit, so that other sites' parameters of the same name do not count as views.
 *
 * Patterns begin with `?`, and no shape does. An operator releases them under these names.
 */

interface KnownView {
  readonly pattern: string;
  readonly detail: string;
  readonly holds: (target: string) => boolean;
}

const hash = '[0-9a-f]{40}(?:[0-9a-f]{24})?';
/** Mercurial shortens its own, Fossil to ten digits. */
const shortHash = '[0-9a-f]{10,64}';

const views: readonly KnownView[] = [
  // MediaWiki, "Manual:Parameters to index.php"; Trac, "TracWiki"; MoinMoin, "HelpOnActions".
  view(
    '?action=',
    'forms, histories and differences of a wiki page',
    /[?&;]action=(?:edit|history|diff|rollback|submit|editredlink|formedit)(?:[&;]|$)/,
  ),
  view(
    '?action=',
    'forms, histories and differences of a wiki page',
    /[?&;]title=/,
    /[?&;]action=(?:raw|info|delete|protect|unprotect|watch|unwatch|purge|markpatrolled|credits)(?:[&;]|$)/,
  ),
  view(
    '?action=',
    'forms, histories and differences of a wiki page',
    /[?&;](?:veaction=edit|mobileaction=toggle_view_|redlink=1(?:[&;]|$))/,
  ),
  // MoinMoin 1.9, "HelpOnActions"; MoinMoin 2, apps/frontend/views.py, with views that begin with a plus.
  view(
    '?action=',
    'forms, histories and differences of a wiki page',
    /[?&;]action=(?:AttachFile|LikePages|SpellCheck|LocalSiteMap|RenamePage|DeletePage|CopyPage|Load|Save|PackagePages|SubscribeUser|newpage|raw)(?:[&;]|$)/,
  ),
  view(
    '?action=',
    'forms, histories and differences of a wiki page',
    /\/\+(?:history|modify|diff|diffsince|meta|revert|rename|delete|destroy|download|highlight|similar_names|convert|backrefs|forwardrefs|subscribe|quicklink|serve|slideshow)(?:[/?]|$)/,
  ),
  // JSPWiki, org.apache.wiki.api.core.ContextEnum.
  view(
    '?action=',
    'forms, histories and differences of a wiki page',
    /\/(?:Edit|Diff|PageInfo|Comment|Upload|Rename|Delete|PageModified)\.jsp\?(?:.*&)?page=/,
  ),
  view('?action=', 'forms, histories and differences of a wiki page', /\/(?:Login|UserPreferences)\.jsp\?redirect=/),
  view('?oldid=', 'old versions of a wiki page', /\/Wiki\.jsp\?(?=.*page=)(?:.*&)?version=\d/),
  // ikiwiki, IkiWiki/CGI.pm.
  view('?do=', 'forms, histories and exports of a wiki page', /\/ikiwiki\.cgi\?(?:.*[&;])?do=/),
  // MediaWiki, the same page; Trac, "WikiPageNames" (`version`).
  view('?oldid=', 'old versions of a wiki page', /[?&;]oldid=\d/),
  view('?oldid=', 'old versions of a wiki page', /[?&;]title=/, /[?&;]diff=(?:\d|prev|next|cur)/),
  view('?oldid=', 'old versions of a wiki page', /\/wiki\/[^?]*\?(?:[^#]*[&;])?(?:old_)?version=\d/),
  // MediaWiki, "Help:Special pages": those that exist once for each page and user. Other languages' names show by behaviour.
  view(
    '?special',
    'special pages that each page of a wiki has',
    /(?:[?&;]title=|\/)Special(?::|%3A)(?:WhatLinksHere|RecentChangesLinked|MovePage|PermanentLink|Diff|PageInfo|Log|Contributions|Block|EmailUser|UserLogin|CreateAccount|CiteThisPage|DownloadAsPdf|Book|UrlShortener|QrCode)(?:[/&;?]|$)/i,
  ),
  // DokuWiki, "Action Modes" (dokuwiki.org/devel:action_modes) and its `rev`, a Unix time.
  view(
    '?do=',
    'forms, histories and exports of a wiki page',
    /[?&;]do=(?:edit|revisions|diff|backlink|recent|login|register|resendpwd|media|draft|subscribe|export_\w+)(?:[&;]|$)/,
    /^(?!.*[?&;]mod=)/,
  ),
  view('?rev=', 'old versions of a wiki page', /[?&;]rev=1\d{9}(?:[&;]|$)/),
  // WordPress, get_comment_reply_link().
  view('?replytocom=', 'a post once more for each of its comments', /[?&;]replytocom=\d/),
  // MediaWiki (`printable`), phpBB (`view=print`), Discourse (/t/slug/1/print).
  view('?print', 'pages once more, to be printed', /[?&;](?:printable=yes|view=print)(?:[&;]|$)/),
  view('?print', 'pages once more, to be printed', /\/t\/[^/?]+\/\d+\/print(?:\?|$)/),
  // MoinMoin 1.9 (`action=print`), Simple Machines Forum (`action=printpage`), MyBB (printthread.php).
  view('?print', 'pages once more, to be printed', /[?&;]action=print(?:page[;&]topic=|[&;]|$)/),
  view('?print', 'pages once more, to be printed', /\/printthread\.php\?tid=\d/),
  // phpBB 3, viewforum.php and viewtopic.php (sort days, key and direction), posting.php, ucp.php.
  view('?mode=', 'forms of a forum, and its lists in another order', /\/(?:posting|ucp|mcp|report)\.php\?/),
  view('?mode=', 'forms of a forum, and its lists in another order', /\/view(?:topic|forum)\.php\?.*[?&;]s[tkd]=/),
  // MyBB: newreply.php and its like.
  view(
    '?mode=',
    'forms of a forum, and its lists in another order',
    /\/(?:newreply|newthread|sendthread|reputation|report)\.php\?(?:.*&)?[tfup]id=\d/,
  ),
  // gitweb(1), "Actions": differences, blame, archives and feeds of each commit, and each file at each commit.
  view(
    '?a=',
    'differences, histories and every file at every commit',
    /[?;&]p=/,
    /[?;&]a=(?:blobdiff|blobdiff_plain|commitdiff|commitdiff_plain|blame|blame_incremental|blame_data|snapshot|patch|patches|history|search|search_help|rss|atom|opml|object|forks|blob_plain)(?:[;&]|$)/,
  ),
  view(
    '?a=',
    'differences, histories and every file at every commit',
    /[?;&]p=/,
    /[?;&]a=(?:tree|blob)(?:[;&]|$)/,
    new RegExp(`[?;&]hb=${hash}(?:[;&]|$)`),
  ),
  // cgit, ui-shared.c (cgit_tree_link and its like): by `id` at a commit, without it at the head.
  view(
    '?id=',
    'every file at every commit, and differences',
    new RegExp(`/(?:tree|plain|blob|blame|log|diff|patch|rawdiff|stats)/[^?]*\\?(?:.*[&;])?id2?=${hash}`),
  ),
  // Gitea and Forgejo, routers/web: a tree at a commit, blame, comparisons.
  view(
    '?commit',
    'every file at every commit',
    new RegExp(`/[^/]+/[^/]+/(?:src|raw|media|blame|rss)/commit/${hash}(?:[/?]|$)`),
  ),
  // Gogs, GitBucket, klaus, SourceHut; GitLab behind `/-/`: the same with the commit as a part of the path.
  view(
    '?commit',
    'every file at every commit',
    new RegExp(
      `/[^/]+/(?:-/)?(?:src|raw|blame|blob|tree|log|commits|history|browse|archive|compare|network|find_file)/${hash}(?:[./?]|$)`,
    ),
  ),
  // hgweb, mercurial/hgweb/webcommands.py: lists that are twice as long or half, and each file at each commit.
  view('?revcount=', 'lists of changes, longer and shorter without end', /[?&;]revcount=\d+(?:[&;]|$)/),
  view(
    '?commit',
    'every file at every commit',
    new RegExp(
      `/(?:annotate|comparison|filediff|filelog|raw-file|raw-annotate|raw-diff|rss-log|atom-log|shortlog|changelog|graph|manifest)/${shortHash}(?:[/?]|$)`,
    ),
  ),
  view('?commit', 'every file at every commit', /\/(?:diff|log|file)\/[0-9a-f]{12}\/[^?]*[^/?](?:\?|$)/),
  // Fossil, "fossil help -w": each page of a check-in, and of each file at it.
  view(
    '?ci=',
    'every file at every check-in, and differences',
    /\/(?:vinfo|vdiff|vpatch|fdiff|wdiff|hexdump|fileage|ci_tags|tkthistory|tkttimeline|sqlar|tarball|whistory|tktedit)(?:\/[0-9a-f]{10,64}(?:[/?]|$)|\?(?:.*&)?(?:id|name|from|v1|branch|checkin)=)/,
  ),
  view(
    '?ci=',
    'every file at every check-in, and differences',
    new RegExp(
      `/(?:annotate|blame|praise|finfo|tree|dir|file|timeline|raw|artifact|zip)\\?(?:.*&)?(?:ci|checkin|name|[abcdfpm]|dp|uf|me|od)=${shortHash}(?:[&:.]|$)`,
    ),
  ),
  view(
    '?ci=',
    'every file at every check-in, and differences',
    new RegExp(`/(?:artifact|raw|doc)/${shortHash}(?:[/?]|$)`),
  ),
  view('?ci=', 'every file at every check-in, and differences', new RegExp(`/(?:ci|info)/${shortHash}\\?`)),
  // Redmine, config/routes.rb: months of calendars, and issues in other orders and formats.
  view('?from=', 'what happened on other days', /\/activity\?(?:.*&)?from=\d/),
  view('?from=', 'what happened on other days', /\/issues\/(?:calendar|gantt)\?/),
  view(
    '?order=',
    'reports in another order, sources at old revisions',
    /\/issues\?(?=.*(?:set_filter|utf8)=)(?:.*&)?sort=/,
  ),
  // Trac, "TracBrowser", "TracQuery": sources at a revision, reports in another order.
  view(
    '?order=',
    'reports in another order, sources at old revisions',
    /\/(?:browser|log|export)\/[^?]*\?(?:.*[&;])?rev=/,
  ),
  view(
    '?order=',
    'reports in another order, sources at old revisions',
    /\/(?:query|report\/\d+)\?/,
    /[?&;](?:order|sort)=/,
    /[?&;](?:desc|asc)=/,
  ),
  view('?order=', 'reports in another order, sources at old revisions', /\/report\/\d+\?/, /[?&;](?:sort|asc)=/),
  // Trac, "TracReports", "TracSyndication" (downloads in other formats), "TracTimeline" (other days).
  view(
    '?format=',
    'pages once more, for other programs',
    /\/(?:query|report\/\d+|ticket\/\d+|timeline|wiki\/[^?]*|log\/[^?]*)\?/,
    /[?&;]format=(?:rss|csv|tab|txt|ics)(?:[&;]|$)/,
  ),
  view('?from=', 'what happened on other days', /\/timeline\?/, /[?&;](?:from|daysback)=/),
];

function view(pattern: string, detail: string, ...all: readonly RegExp[]): KnownView {
  return { pattern, detail, holds: (target) => all.every((one) => one.test(target)) };
}

/** Views of known software have short addresses; patterns with several gaps cost the cube of a long one. */
const viewCharsMax = 512;

/** null: none of them. `url` is normal. */
export function knownView(url: string): Pick<KnownView, 'pattern' | 'detail'> | null {
  const slash = url.indexOf('/', 8);
  if (slash < 0) return null;
  // Most URLs have none of these, so this quick test rejects them.
  if (!/\?|\/[0-9a-f]{10,64}(?:[./?]|$)|\/print$|\/\+|Special(?::|%3A)/.test(url)) return null;
  const target = url.slice(slash);
  if (target.length > viewCharsMax) return null;
  return views.find(({ holds }) => holds(target)) ?? null;
}
