/**
 * Mutants that no test can notice, or none should, each with its reason. Told by file, what is replaced by what, and the
 * line it stands in, so that an edit elsewhere in the file leaves them valid.
 */
export interface Accepted {
  readonly file: string;
  readonly find: string;
  readonly replace: string;
  /** A part of the line that tells it from others. */
  readonly line: string;
  readonly because: string;
}

const patternIndex = 'topology/robots/pattern-index.ts';
const urlEscapes = 'topology/url/escapes.ts';
const room = 'a typed array of one more slot, which nobody asks for';
const filter = 'the filter leaves out what would not match: with it or without, the same rule is found';
const order = 'a sort goes by the sign alone';

export const accepted: readonly Accepted[] = [
  {
    file: patternIndex,
    find: 'wildcards.length >= filterFrom',
    replace: 'true',
    line: 'trigramsOf(path)',
    because: filter,
  },
  {
    file: patternIndex,
    find: 'wildcards.length >= filterFrom',
    replace: 'false',
    line: 'trigramsOf(path)',
    because: filter,
  },
  { file: patternIndex, find: '>=', replace: '>', line: 'wildcards.length >= filterFrom', because: filter },
  { file: patternIndex, find: '64', replace: '(64 + 1)', line: 'const filterFrom', because: filter },
  {
    file: patternIndex,
    find: '0',
    replace: '(0 + 1)',
    line: 'while (end > 0 && pattern.charCodeAt',
    because: 'a pattern of one `*` is then a wildcard, which matches every path with the same rank',
  },
  { file: urlEscapes, find: '128', replace: '(128 + 1)', line: 'const mustEscape', because: room },
  { file: urlEscapes, find: '128', replace: '(128 + 1)', line: 'const unreserved', because: room },
  ...['#child', '#next', '#previous', '#rootOf'].map((line) => ({
    ...{
      file: 'topology/frontier/recrawl/due-heaps.ts',
      find: '0',
      replace: '(0 + 1)',
      line: `${line} = new Uint32Array(0)`,
    },
    because: 'a column that grows before its first use, from another length',
  })),
  {
    file: 'topology/frontier/pull/known-rows.ts',
    find: '1',
    replace: '(1 + 1)',
    line: 'a < b ? -1 : 1',
    because: order,
  },
  {
    file: 'services/fetcher/connect/resolve-override.ts',
    find: '1_000',
    replace: '(1_000 + 1)',
    line: 'const specific',
    because: 'more than any suffix is long, as before',
  },
  {
    file: 'topology/audit/audit.ts',
    find: 'contacts.lastMs < nowMs - restMs',
    replace: 'false',
    line: 'contacts.shrink()',
    because: 'memory alone: what is forgotten binds nobody any more',
  },
  {
    file: 'topology/audit/audit.ts',
    find: 'counts.fetches % sweepEvery === 0',
    replace: 'true',
    line: 'sweep(startMs)',
    because: 'time alone: what is swept binds nobody any more, whenever it is swept',
  },
  {
    file: 'topology/frontier/recrawl/due-table.ts',
    find: '<',
    replace: '<=',
    line: 'row < this.#end && this.out > 0',
    because: 'the row beyond the last is not in use',
  },
  {
    file: 'topology/url/fingerprint.ts',
    find: '-',
    replace: '+',
    line: 'word |= code << ((i - at) << 3)',
    because: '`at` is a multiple of four, and a shift goes by 32',
  },
  {
    file: 'services/fetcher/connect/proxy-choice.ts',
    find: '<',
    replace: '<=',
    line: 'i < proxies.length',
    because: 'when all rest, the first is looked at twice',
  },
  {
    file: 'topology/frontier/decide/sitemaps.ts',
    find: 'sitemaps.size === 0',
    replace: 'false',
    line: 'if (sitemaps.size === 0) return false;',
    because: 'time alone: where no host has a round, this one has none',
  },
  {
    file: 'topology/frontier/state/settle-host.ts',
    find: '0',
    replace: '(0 + 1)',
    line: 'deadUntilMs > 0 ?',
    because: 'a moment of today, or none: never the first millisecond of 1970',
  },
  ...[
    { find: 'partitions === 1', replace: 'false', line: 'if (partitions === 1) return true;' },
    { find: 'hostKey !== this.#hostKey', replace: 'true', line: 'if (hostKey !== this.#hostKey)' },
    { find: 'this.#hostKey = hostKey;', replace: ';', line: 'this.#hostKey = hostKey;' },
  ].map((mutant) => ({
    ...{ file: 'topology/frontier/decide/misrouted.ts', ...mutant },
    because: 'time alone: what the last host came to is found again',
  })),
  ...[
    { find: '1', replace: '(1 + 1)', line: '#partition = -1' },
    { find: '1', replace: '(1 + 1)', line: 'offset: -1' },
    { find: 'this.#group = undefined;', replace: ';', line: 'this.#group = undefined;' },
    { find: '++', replace: '--', line: 'this.#letters++' },
  ].map((mutant) => ({
    ...{ file: 'topology/frontier/decide/misrouted.ts', ...mutant },
    because: 'set before it is read, asked of by identity, or told from zero alone',
  })),
  {
    file: 'topology/frontier/from-inputs.ts',
    find: '0',
    replace: '(0 + 1)',
    line: 'status > 0 && !isHostFailure(kind)',
    because: 'no answer has the status 1',
  },
  {
    file: 'topology/frontier/decide/sitemaps.ts',
    find: '0',
    replace: '(0 + 1)',
    line: 'if (sitemapsSinceMs > 0 && sitemapsLeft === 0)',
    because: 'none, or a moment of today: never the first millisecond of 1970',
  },
  {
    file: 'topology/frontier/wake.ts',
    find: '<',
    replace: '<=',
    line: 'time < first',
    because: 'the first of two that are equal is either',
  },
  {
    file: 'topology/frontier/state/settle-host.ts',
    find: '<',
    replace: '<=',
    line: 'b < a) ? b : a',
    because: 'the earlier of two that are equal is either',
  },
  {
    file: 'topology/frontier/decide/results/time.ts',
    find: '0',
    replace: '(0 + 1)',
    line: 'ownSlot ? 0',
    because: 'no host was contacted in the first millisecond of 1970',
  },
  ...[
    { find: 'taken.has(said)', replace: 'false', line: 'if (taken.has(said)) continue;' },
    { find: 'taken.add(said);', replace: ';', line: 'taken.add(said);' },
    { find: "event.kind === 'purge'", replace: 'true', line: 'const most' },
    { find: '1', replace: '(1 + 1)', line: 'const most' },
  ].map((mutant) => ({
    ...{ file: 'topology/frontier/decide/control/raise.ts', ...mutant },
    because: 'time alone: places that are used up are passed over, and a raise takes the first',
  })),
  { file: patternIndex, find: '*', replace: '/', line: 'text.charCodeAt(at) * 961', because: filter },
  { file: patternIndex, find: '3', replace: '(3 + 1)', line: 'longest.length < 3 ?', because: filter },
  {
    file: 'topology/frontier/hosts/facts-table.ts',
    find: '&&',
    replace: '||',
    line: 'this.#rare.delete(host)',
    because: 'what is deleted too often is not there, or is put back by the line that follows',
  },
  {
    file: 'topology/url/resolve.ts',
    find: '+',
    replace: '-',
    line: 'scanTail(href, slash + 1)',
    because: 'it begins at the last character of the host, which a path may hold as well, and ends at the same place',
  },
  {
    file: 'topology/frontier/seen/sorted-load.ts',
    find: '20',
    replace: '(20 + 1)',
    line: 'const gatheredMax',
    because: 'memory alone: two million are sorted at once',
  },
  {
    file: 'topology/parse/rich/markup.ts',
    find: '<',
    replace: '<=',
    line: 'Math.min(valueEnd, valueStart',
    because: 'no value stands at the very beginning of a document: a tag does',
  },
  {
    file: 'topology/audit/robots-referee.ts',
    find: '1',
    replace: '(1 + 1)',
    line: "line.split('#', 1)[0]",
    because: 'the first piece is the same, whatever follows it',
  },
  {
    file: 'topology/robots/lines.ts',
    find: '>=',
    replace: '>',
    line: 'if (colon >= 0) {',
    because: 'a line that begins with a colon has no key, and no key begins with one',
  },
  {
    file: 'services/fetcher/publish/link-cache.ts',
    find: '0',
    replace: '(0 + 1)',
    line: 'Math.ceil(Math.log2(entries / ways))',
    because: 'memory alone: a cache of four entries has room for eight',
  },
  {
    file: 'topology/graph/edge-row.ts',
    find: 'rest -= digit * 2 ** i;',
    replace: ';',
    line: 'rest -= digit * 2 ** i;',
    because: 'a byte keeps the last eight bits of what it is given',
  },
  {
    file: 'topology/frontier/seen/seen-test.ts',
    find: 'this.#cache ??= new RecentCache(this.counts.cacheBytes);',
    replace: ';',
    line: "this.config.kind === 'exact'",
    because: 'time alone: the runs on disk give the answer that the cache would have given',
  },
  {
    file: 'services/fetcher/pace/pacer.ts',
    find: 'sweepAt = Math.max(sweepAtLeast, hosts.size * 2);',
    replace: ';',
    line: 'sweepAt = Math.max',
    because: 'time alone: hosts that bind nobody any more are looked for at each new one',
  },
  {
    file: 'topology/graph/edge-row.ts',
    find: '0',
    replace: '(0 + 1)',
    line: 'let before: Uint8Array = new Uint8Array(0)',
    because: 'no URL begins with a zero byte, so that the first shares nothing with it',
  },
  {
    file: 'topology/frontier/queues/queue-row.ts',
    find: '1',
    replace: '(1 + 1)',
    line: 'let depthBefore = -1',
    because: 'no depth is below zero, by one or by two',
  },
  ...[
    { find: '+', replace: '-' },
    { find: '961', replace: '(961 + 1)' },
    { find: '31', replace: '(31 + 1)' },
  ].map((mutant) => ({ file: patternIndex, ...mutant, line: 'text.charCodeAt(at) * 961', because: filter })),
  {
    file: 'topology/url/normalize.ts',
    find: 'pathEnd === url.length',
    replace: 'false',
    line: 'if (pathEnd === url.length) return url;',
    because: 'time alone: what follows finds no query, and gives the same',
  },
  {
    file: 'topology/frontier/cash/cash.ts',
    find: '<',
    replace: '<=',
    line: 'at + 1 < fingerprints.length',
    because: 'fingerprints are two words each, so that their number is even',
  },
  {
    file: 'services/fetcher/connect/proxy-tunnel.ts',
    find: 'true',
    replace: 'false',
    line: 'set_tcp_nodelay: true',
    because: 'time alone: small segments wait for others',
  },
  {
    file: 'topology/url/sorted-texts.ts',
    find: '<',
    replace: '<=',
    line: 'return a < b ? -1 : a > b ? 1 : 0;',
    because: 'of two texts that are equal either comes first',
  },
  {
    file: 'topology/audit/audit.ts',
    find: '0',
    replace: '(0 + 1)',
    line: 'counts.fetches % sweepEvery === 0',
    because: 'time alone: what is swept binds nobody any more, whenever it is swept',
  },
  {
    file: 'topology/url/normalize.ts',
    find: 'full.indexPages || full.www',
    replace: 'true',
    line: 'return slow;',
    because: 'time alone: the quick way gives what the slow one does',
  },
  {
    file: 'services/audit/one-host.ts',
    find: '0',
    replace: '(0 + 1)',
    line: 'fromMs: 0,',
    because: 'no request was made in the first millisecond of 1970',
  },
  ...[
    { find: '>', replace: '>=' },
    { find: 'requests.length > 2 * requestsMax', replace: 'false' },
    { find: '2', replace: '(2 + 1)' },
    { find: '*', replace: '/' },
    { find: '0', replace: '(0 + 1)' },
    { find: 'requests.splice(0, requests.length - requestsMax);', replace: ';' },
  ].map((mutant) => ({
    ...{ file: 'services/audit/one-host.ts', ...mutant, line: 'requests.length > 2 * requestsMax' },
    because: 'memory alone: the newest are taken at the end',
  })),
  {
    file: 'services/audit/statement.ts',
    find: 'signature === null',
    replace: 'false',
    line: 'if (signature === null) return false;',
    because: 'what has no signature cannot be verified, which is told as false as well',
  },
  ...[
    { find: '64', replace: '(64 + 1)' },
    { find: '20', replace: '(20 + 1)' },
  ].map((mutant) => ({
    ...{ file: 'services/audit/robots-copies.ts', ...mutant, line: 'const keptBytesMax' },
    because: 'memory alone: what is not kept is read again',
  })),
  ...['code >= 128 || (classes[code]! & hostChar)', 'code >= 128 || (classes[code]! & queryChar)'].map((line) => ({
    ...{ file: 'topology/url/normal-scan.ts', find: '128', replace: '(128 + 1)', line },
    because: 'a code that has no class is in none',
  })),
  {
    file: 'topology/url/normal-scan.ts',
    find: '128',
    replace: '(128 + 1)',
    line: 'const classes = new Uint8Array(128)',
    because: room,
  },
  ...[
    { find: 'at > start && initials.has(text.charCodeAt(start))', replace: 'true' },
    { find: '&&', replace: '||' },
    { find: '>', replace: '>=' },
  ].map((mutant) => ({
    ...{ file: 'topology/robots/lines.ts', ...mutant, line: 'at > start && initials.has(text.charCodeAt(start))' },
    because: 'time alone: a line that begins with no key of ours is read, and says nothing',
  })),
  { file: patternIndex, find: 'longest.length < 3', replace: 'true', line: 'longest.length < 3 ?', because: filter },
  { file: patternIndex, find: 'path.length < 256', replace: 'true', line: 'new Uint8Array(', because: filter },
  { file: patternIndex, find: 'path.length < 256', replace: 'false', line: 'new Uint8Array(', because: filter },
  { file: patternIndex, find: '<', replace: '<=', line: 'new Uint8Array(path.length < 256', because: filter },
  { file: patternIndex, find: '256', replace: '(256 + 1)', line: 'new Uint8Array(path.length < 256', because: filter },
  ...[
    { file: 'topology/url/filters.ts', line: 'const end = question < 0' },
    { file: 'topology/url/resolve.ts', line: 'return hash < 0 ? resolved' },
  ].flatMap((place) =>
    [
      { find: '0', replace: '(0 + 1)' },
      { find: '<', replace: '<=' },
    ].map((mutant) => ({ ...place, ...mutant, because: 'no URL begins with the character looked for' })),
  ),
  {
    file: 'topology/audit/robots-referee.ts',
    find: '<',
    replace: '<=',
    line: 'star >= 0 && mark < path.length',
    because: 'one more step, behind the end of the path, where nothing matches',
  },
  ...['words.push({ use', 'return { use, vote, fromMs: 0 }', '({ use, vote, fromMs: 0 })'].map((line) => ({
    ...{ file: 'topology/audit/usage-referee.ts', find: '0', replace: '(0 + 1)', line },
    because: 'no page was fetched in the first millisecond of 1970',
  })),
  ...['if (prefixesDenied.length > 0)', 'if (exclude.length > 0)'].map((line) => ({
    ...{ file: 'topology/url/filters.ts', find: '>', replace: '>=', line },
    because: 'time alone: a rule of no entries refuses nothing',
  })),
  {
    file: 'topology/url/normalize.ts',
    find: '+',
    replace: '-',
    line: 'scanPath(url, slash + 1)',
    because: 'it begins at the last character of the host, which a path may hold as well, and ends at the same place',
  },
  {
    file: 'topology/audit/audit.ts',
    find: '100_000',
    replace: '(100_000 + 1)',
    line: 'const sweptEvery',
    because: 'time and memory alone',
  },
  ...[
    { find: 'contacts.shrink();', replace: ';', line: 'contacts.shrink();' },
    { find: 'hosts.delete(host);', replace: ';', line: 'hosts.delete(host);' },
    { find: 'contacts.lastMs < nowMs - forgetMs', replace: 'false', line: 'hosts.delete(host);' },
    { find: 'domains.delete(key);', replace: ';', line: 'domains.delete(key);' },
    { find: 'book.lastMs < nowMs - forgetMs', replace: 'false', line: 'domains.delete(key);' },
    { find: 'addresses.delete(key);', replace: ';', line: 'addresses.delete(key);' },
    { find: 'book.lastMs < nowMs - restMs', replace: 'false', line: 'addresses.delete(key);' },
    ...['contacts.shrink();', 'hosts.delete(host);', 'domains.delete(key);', 'addresses.delete(key);'].map((line) => ({
      ...{ find: '<', replace: '<=', line },
    })),
    { find: '600_000', replace: '(600_000 + 1)', line: 'const restMs' },
    { find: '26', replace: '(26 + 1)', line: 'const forgetMs' },
    { find: '3_600_000', replace: '(3_600_000 + 1)', line: 'const forgetMs' },
  ].map((mutant) => ({
    ...{ file: 'topology/audit/audit.ts', ...mutant },
    because: 'memory alone: what is forgotten binds nobody any more, a little later or not at all',
  })),
  {
    file: 'topology/audit/host-contacts.ts',
    find: '1',
    replace: '(1 + 1)',
    line: 'trim(1);',
    because: 'memory alone: one contact more',
  },
  {
    file: 'services/audit/recheck.ts',
    find: '0',
    replace: '(0 + 1)',
    line: 'counts.robotsToAsk.set(',
    because: 'an origin that was asked has the time of that',
  },
  {
    file: 'services/audit/run-audit.ts',
    find: 'run.fromMs === 0',
    replace: 'false',
    line: 'const from = run.fromMs === 0',
    because: 'time alone: the first record behind the beginning of time is the first',
  },
  {
    file: 'topology/audit/orders.ts',
    find: '1',
    replace: '(1 + 1)',
    line: 'newestDelays.get(hostKey) ?? { amount: -1 }',
    because: 'below zero is as the policy says, by one or by two',
  },
  {
    file: 'topology/audit/robots-referee.ts',
    find: '<',
    replace: '<=',
    line: 'while (start < end && text.charCodeAt(start)',
    because: 'behind the end there is no character to be a blank',
  },
];
