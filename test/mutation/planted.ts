/**
 * Mistakes that tests once did not notice, each with the test files that must. Who rewrites such a line moves its
 * mistake along: one that can no longer be planted fails by name.
 */
import type { Edit } from './edit.ts';

export interface Planted extends Edit {
  readonly mistake: string;
  readonly tests: readonly string[];
}

const robotsTests = ['test/topology/robots/rules.test.ts'];
const urlTests = ['test/topology/url/normalize.test.ts'];
const codecTests = ['test/topology/frontier/changes/changelog.test.ts'];
const queueTests = ['test/topology/frontier/queues/queues.test.ts'];
const consumerTests = ['test/services/runtime/consumer/consumer.test.ts'];
const archiveTests = ['test/services/archive/archiver.test.ts'];
const auditTests = ['test/topology/audit/host-contacts.test.ts'];
const kafkaTests = ['test/services/runtime/log/kafka/exchanges.test.ts'];
const leaseTests = ['test/services/fetcher/leases/lease.test.ts'];

export const planted: readonly Planted[] = [
  {
    mistake: 'a prefix of the token is accepted',
    file: 'services/runtime/http/access.ts',
    find: 'return timingSafeEqual(hashOf(given), hashOf(token));',
    replace: 'return timingSafeEqual(hashOf(given), hashOf(token.slice(0, given.length)));',
    tests: ['test/services/runtime/http/access.test.ts'],
  },
  {
    mistake: 'the smallest Crawl-delay of two groups wins',
    file: 'topology/robots/rules.ts',
    find: 'own.crawlDelayMs = Math.max(own.crawlDelayMs ?? 0, delayMs);',
    replace: 'own.crawlDelayMs = Math.min(own.crawlDelayMs ?? delayMs, delayMs);',
    tests: robotsTests,
  },
  {
    mistake: 'the smallest Crawl-delay of two groups for everyone wins',
    file: 'topology/robots/rules.ts',
    find: 'all.crawlDelayMs = Math.max(all.crawlDelayMs ?? 0, delayMs);',
    replace: 'all.crawlDelayMs = Math.min(all.crawlDelayMs ?? delayMs, delayMs);',
    tests: robotsTests,
  },
  {
    mistake: 'a robots.txt of exactly the bound is taken for whole',
    file: 'topology/robots/lines.ts',
    find: 'if (body.length < robotsLimits.bodyBytesMax) return',
    replace: 'if (body.length <= robotsLimits.bodyBytesMax) return',
    tests: robotsTests,
  },
  {
    mistake: 'an embedded https:// loses a slash',
    file: 'topology/url/path-steps.ts',
    find: "return segment === 'http:' || segment === 'https:';",
    replace: "return segment === 'http:';",
    tests: urlTests,
  },
  {
    mistake: 'the fast path passes an over-long URL',
    file: 'topology/url/normalize.ts',
    find: 'if (url.length > full.urlCharsMax) return slow(url);',
    replace: '',
    tests: urlTests,
  },
  {
    mistake: '`proved` is read back inverted',
    file: 'topology/frontier/storage/fields.ts',
    find: 'pick([null, true, false], reader.byte()',
    replace: 'pick([null, false, true], reader.byte()',
    tests: codecTests,
  },
  {
    mistake: '`proved` is written inverted',
    file: 'topology/frontier/storage/fields.ts',
    find: 'value === null ? 0 : value ? 1 : 2',
    replace: 'value === null ? 0 : value ? 2 : 1',
    tests: codecTests,
  },
  {
    mistake: 'stale answers "new" are kept after a spill',
    file: 'topology/frontier/seen/seen-test.ts',
    find: '    this.#answers = null;\n    this.forgets += 1;',
    replace: '    this.forgets += 1;',
    tests: ['test/topology/frontier/seen/seen-test.test.ts'],
  },
  {
    mistake: 'a sequence number is used again by a front queue that begins anew',
    file: 'topology/frontier/queues/front-queues.ts',
    find: 'if (this.#head[frontQueue] === this.#tail[frontQueue]) this.#beginAt(frontQueue, this.queuedEver);',
    replace: 'if (this.#head[frontQueue] === this.#tail[frontQueue]) this.#beginAt(frontQueue, 0);',
    tests: queueTests,
  },
  {
    mistake: 'rows behind an entry that has gone stay on disk',
    file: 'topology/frontier/queues/front-queues.ts',
    find: '      if (this.#head[frontQueue]! < this.#from[frontQueue]!) this.#want(frontQueue);\n      this.#step',
    replace: '      this.#step',
    tests: queueTests,
  },
  {
    mistake: 'a consumer’s position is saved before its dead letter is kept',
    file: 'services/runtime/consumer/consumer.ts',
    find: 'if (letters.length > 0) await options.deadLetter(letters);',
    replace: 'if (letters.length > 0) options.deadLetter(letters).catch(fail);',
    tests: consumerTests,
  },
  {
    mistake: 'a consumer’s position beyond the end is accepted',
    file: 'services/runtime/consumer/consumer.ts',
    find: 'if (kept >= start && kept <= end) return kept;',
    replace: 'if (kept >= start) return kept;',
    tests: consumerTests,
  },
  {
    mistake: 'a consumer’s position before the start is accepted',
    file: 'services/runtime/consumer/consumer.ts',
    find: 'if (kept >= start && kept <= end) return kept;',
    replace: 'if (kept <= end) return kept;',
    tests: consumerTests,
  },
  {
    mistake: 'an archived response says that it is chunked, and is not',
    file: 'services/archive/response-records.ts',
    find: "return text === 'transfer-encoding' ? 'x-crawler-transfer-encoding' : (headerNames[i / 2] ?? text);",
    replace: 'return headerNames[i / 2] ?? text;',
    tests: archiveTests,
  },
  {
    mistake: 'the checkpoint at a file’s end is not advanced',
    file: 'services/archive/archiver.ts',
    find: 'await finish([...ops, ...reached.values()]);',
    replace: 'await finish(ops);',
    tests: archiveTests,
  },
  {
    mistake: 'a truncated payload is what a revisit refers to',
    file: 'services/archive/sights.ts',
    find: 'return body.length + bodyBytes > 256 && !truncated;',
    replace: 'return body.length + bodyBytes > 256;',
    tests: archiveTests,
  },
  {
    mistake: 'a payload of 256 bytes becomes a revisit',
    file: 'services/archive/sights.ts',
    find: 'return body.length + bodyBytes > 256 && !truncated;',
    replace: 'return body.length + bodyBytes >= 256 && !truncated;',
    tests: archiveTests,
  },
  {
    mistake: 'a snapshot’s row that makes a checkpoint of the others is written with the first of them',
    file: 'services/frontier/snapshots/restore-snapshot.ts',
    find: 'if (rowKey.equals(metaKey)) meta = row;\n      else batch.push(row);',
    replace: 'if (rowKey.equals(metaKey)) meta = row;\n      batch.push(row);',
    tests: ['test/services/frontier/snapshots/snapshots.test.ts'],
  },
  {
    mistake: 'a quota report is taken twice',
    file: 'topology/frontier/decide/control/quota.ts',
    find: 'if (report.version <= row.version) return;',
    replace: 'if (report.version < row.version) return;',
    tests: ['test/topology/frontier/decide/control/quota.test.ts'],
  },
  {
    mistake: 'a quota grant that was lost after its commit is not said again',
    file: 'topology/frontier/decide/control/quota.ts',
    find: '  const messages = [...state.quota.book].map(([to, row]) => ({\n    partition: to,\n    record: grantOf(row, state.nowMs),\n  }));',
    replace: '  const messages: { partition: number; record: Control }[] = [];',
    tests: ['test/topology/frontier/decide/control/quota.test.ts'],
  },
  {
    mistake: 'a quota report that was lost after its commit is not said again',
    file: 'topology/frontier/decide/control/quota.ts',
    find: 'if (state.quota.wanted > 0 || state.counters.quotaGranted > 0) {',
    replace: 'if (state.quota.wanted < 0) {',
    tests: ['test/topology/frontier/decide/control/quota.test.ts'],
  },
  {
    mistake: 'a task is started though its partition is gone',
    file: 'services/fetcher/fetcher.ts',
    find: 'if (ours.has(readFrom)) start(task);\n      else intake.forget(task);',
    replace: 'start(task);',
    tests: ['test/services/fetcher/fetcher.test.ts', 'test/services/fetcher/leases/backlog.test.ts'],
  },
  {
    mistake: 'a body of exactly the limit is called truncated',
    file: 'services/fetcher/http/exchange.ts',
    find: 'if (this.#bytes > most) this.#cutShort(this.#isCut);',
    replace: 'if (this.#bytes >= most) this.#cutShort(true);',
    tests: ['test/services/fetcher/http/client.test.ts'],
  },
  {
    mistake: 'a decoded body of exactly the limit is called truncated',
    file: 'services/fetcher/http/content-coding.ts',
    find: 'return body.length <= bytesMax ? { body, truncated: false }',
    replace: 'return body.length < bytesMax ? { body, truncated: false }',
    tests: ['test/services/fetcher/http/client.test.ts'],
  },
  {
    mistake: 'one redirect too many is followed',
    file: 'topology/frontier/decide/results/results.ts',
    find: 'if (next.hop > urlLimits.redirectHopsMax) {',
    replace: 'if (next.hop > urlLimits.redirectHopsMax + 1) {',
    tests: ['test/topology/frontier/partition.test.ts', 'test/topology/frontier/decide/results/redirects.test.ts'],
  },
  {
    mistake: 'one redirect too few is followed',
    file: 'topology/frontier/decide/results/results.ts',
    find: 'if (next.hop > urlLimits.redirectHopsMax) {',
    replace: 'if (next.hop >= urlLimits.redirectHopsMax) {',
    tests: ['test/topology/frontier/partition.test.ts', 'test/topology/frontier/decide/results/redirects.test.ts'],
  },
  {
    mistake: 'a Crawl-delay equal to the cap defers the host',
    file: 'services/fetcher/leases/lease.ts',
    find: 'crawlDelayMs > task.crawlDelayCapMs',
    replace: 'crawlDelayMs >= task.crawlDelayCapMs',
    tests: leaseTests,
  },
  {
    mistake: 'demand is a constant, whatever fetchers there are',
    file: 'services/frontier/own/partition-owner.ts',
    find: 'const { fetchers: watch, identity } = this.#options;',
    replace: 'const { fetchers: watch, identity } = { ...this.#options, fetchers: undefined };',
    tests: ['test/lab/simulation/fetchers-gone.integration.test.ts'],
  },
  {
    mistake: 'a quota on making topics ends who makes them',
    file: 'services/runtime/log/kafka/kafkajs-wire.ts',
    find: 'if (code === throttlingQuotaExceeded.code) return throttlingQuotaExceeded;',
    replace: '',
    tests: ['test/services/runtime/log/kafka/creations.test.ts', 'test/services/runtime/log/kafka/exchanges.test.ts'],
  },
  {
    mistake: 'a host outside its window eats demand',
    file: 'topology/frontier/decide/leases/grants.ts',
    find: 'state.clock.schedule(hostId, openAtMs, clockQueueOf(state, host));\n      left += 1;',
    replace: 'state.clock.schedule(hostId, openAtMs, clockQueueOf(state, host));',
    tests: ['test/topology/frontier/decide/leases/scheduling.test.ts'],
  },
  {
    mistake: 'the audit ignores pauses asked for with status 503',
    file: 'topology/audit/host-contacts.ts',
    find: 'return retryAfterMs > 0 && (status === 429 || status === 503);',
    replace: 'return retryAfterMs > 0 && status === 429;',
    tests: auditTests,
  },
  {
    mistake: 'the audit counts a gap equal to the bound',
    file: 'topology/audit/host-contacts.ts',
    find: 'if (before.endMs + waitMs <= freeMs) continue;',
    replace: 'if (before.endMs + waitMs < freeMs) continue;',
    tests: auditTests,
  },
  {
    mistake: 'the audit counts a pause that was kept to the millisecond',
    file: 'topology/audit/host-contacts.ts',
    find: 'sinceMs + skewOf(contact, pause) >= pause.retryAfterMs',
    replace: 'sinceMs + skewOf(contact, pause) > pause.retryAfterMs',
    tests: auditTests,
  },
  {
    mistake: 'what follows a batch that was given up goes on under its epoch',
    file: 'services/runtime/log/kafka/appender.ts',
    find: 'if (++channel.epoch > epochMax) {',
    replace: 'if (channel.epoch > epochMax) {',
    tests: kafkaTests,
  },
  {
    mistake: 'a batch is numbered as if the one before it had had one record',
    file: 'services/runtime/log/kafka/appender.ts',
    find: 'channel.sequence = (channel.sequence + batch.records.length) % sequenceEnd;',
    replace: 'channel.sequence = (channel.sequence + 1) % sequenceEnd;',
    tests: kafkaTests,
  },
  {
    mistake: 'what was queued behind a batch that was given up is appended all the same',
    file: 'services/runtime/log/kafka/appender.ts',
    find: '...(channel.batch?.records ?? []), ...channel.queue.splice(0)];',
    replace: '...(channel.batch?.records ?? [])];',
    tests: kafkaTests,
  },
  {
    mistake: 'a position out of range is reset to the start',
    file: 'services/runtime/log/kafka/reader.ts',
    find: 'throw outOfRange(a, await rangeOf(topic, partition));',
    replace: 'return void (a.next = (await rangeOf(topic, partition)).start);',
    tests: kafkaTests,
  },
  {
    mistake: 'the audit knows no overlay of a policy',
    file: 'topology/audit/overlay-orders.ts',
    find: 'if ((delayMs ?? delayFactor ?? leases) === undefined || !matches(match, host)) continue;',
    replace: 'continue;',
    tests: ['test/topology/audit/overlay-orders.test.ts'],
  },
  {
    mistake: 'a webmaster’s pause is none to the audit',
    file: 'topology/audit/orders.ts',
    find: "if (isTheirs || kind === 'releaseHost') enter(pauses, hostKey, order);",
    replace: '',
    tests: ['test/topology/audit/overlay-orders.test.ts'],
  },
  {
    mistake: 'the audit forgets hosts whose last request still binds the next',
    file: 'topology/audit/audit.ts',
    find: 'if (contacts.lastMs < nowMs - forgetMs) hosts.delete(host);',
    replace: 'if (contacts.lastMs < nowMs) hosts.delete(host);',
    tests: ['test/topology/audit/kept-audit.test.ts'],
  },
  {
    mistake: 'an older robots.txt that is read later counts for the newest',
    file: 'services/audit/usage-ledger.ts',
    find: 'if (fetchedAtMs >= (newest.get(origin)?.fetchedAtMs ?? 0))',
    replace: 'if (fetchedAtMs > 0)',
    tests: ['test/services/audit/usage-ledger.test.ts'],
  },
  {
    mistake: 'money counts as spent where the request never reached the host',
    file: 'services/fetcher/pay/payments.ts',
    find: 'if (response === null || response.unreached)',
    replace: 'if (response === null)',
    tests: ['test/services/fetcher/pay/payments.test.ts'],
  },
  {
    mistake: 'a Crawl-delay is for agents of the lines before it, too',
    file: 'topology/robots/rules.ts',
    find: 'if (rulesSeen || delaySeen) delayForOwn = delayForAll = false;',
    replace: 'if (rulesSeen) delayForOwn = delayForAll = false;',
    tests: ['test/topology/robots/groups.test.ts'],
  },
  {
    mistake: 'each URL with a folder goes through the parser',
    file: 'topology/url/normal-scan.ts',
    find: 'if (previous === slash) return -1; // duplicate slash, or possibly a dot segment',
    replace: 'return -1;',
    tests: ['test/topology/url/normal-scan.test.ts'],
  },
];
