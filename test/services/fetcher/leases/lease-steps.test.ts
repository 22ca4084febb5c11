/** What a lease reports of each of its URLs, step by step: on a clock that is moved by hand, with answers that are made up. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { blankOutcome, blankTask, blankTaskUrl } from '../../../../schemas/blank.ts';
import type { Outcome, Task, TaskUrl } from '../../../../schemas/types.ts';
import type { HttpResponse } from '../../../../services/fetcher/http/client.ts';
import type { LeaseRunner } from '../../../../services/fetcher/leases/lease-runner.ts';
import { runLease } from '../../../../services/fetcher/leases/run-lease.ts';
import { createExtractor } from '../../../../services/fetcher/pages/extract.ts';
import { createLinkCache } from '../../../../services/fetcher/publish/link-cache.ts';
import type { LeaseReporter, UrlReport } from '../../../../services/fetcher/publish/publisher.ts';
import { createRobotsCache } from '../../../../services/fetcher/robots/cache.ts';
import { createTdmFiles } from '../../../../services/fetcher/robots/tdm-files.ts';
import { createSitemapAgenda } from '../../../../services/fetcher/sitemaps/agenda.ts';
import { compileNormalizer } from '../../../../topology/url/normalize.ts';
import { createFakeClock } from '../fake-clock.ts';
import { playedRequestPath } from '../played-request-path.ts';

const totalTimeoutMs = 30_000;
const noAnswer = { location: null, body: Buffer.alloc(0), blockedAddress: false, detail: '' };
type Answers = Readonly<Record<string, Partial<HttpResponse>>>;

interface Played {
  /** By URL, or by path for all origins. Absent: an empty page; no robots.txt. */
  readonly answers?: Answers;
  readonly urls?: readonly (string | Partial<TaskUrl>)[];
  readonly task?: Partial<Task>;
  readonly runner?: Partial<LeaseRunner>;
  /** Its robots.txt was read by a lease before. */
  readonly isKnown?: boolean;
}

/** What was reported, in order, and which paths were asked for. */
async function played({
  answers = {},
  urls = ['/1', '/2'],
  task: ofTask = {},
  runner: more = {},
  isKnown = false,
}: Played) {
  const {
    requestPath,
    asker,
    clock,
    urls: asked,
  } = playedRequestPath((url) => {
    const { pathname } = new URL(url);
    const plain = pathname === '/robots.txt' ? { status: 404 } : { headers: ['content-type', 'text/html'] };
    return { ...plain, ...(answers[url] ?? answers[pathname]) };
  });
  const sent: (readonly string[])[] = [];
  const http = {
    ...requestPath.http,
    request: (request: Parameters<typeof requestPath.http.request>[0]) => {
      sent.push(request.headers);
      return requestPath.http.request(request);
    },
  };
  /** What was asked of the clock of hosts, for each request. */
  const asks: unknown[] = [];
  const pacer = {
    ...requestPath.pacer,
    acquire: (...args: Parameters<typeof requestPath.pacer.acquire>) => {
      asks.push(args[4]);
      return requestPath.pacer.acquire(...args);
    },
  };
  const cache = createRobotsCache(clock, 'examplebot');
  const get: typeof cache.get = async (...args) => {
    const answer = await cache.get(...args);
    return answer === null ? null : { ...answer, fresh: answer.fresh && !isKnown };
  };
  const reported: string[] = [];
  const outcomes: Outcome[] = [];
  const reports: UrlReport[] = [];
  const reporter: LeaseReporter = {
    report(report) {
      const { index, kind, detail } = report.outcome;
      reported.push([index, kind, ...(detail === '' ? [] : [detail])].join(' '));
      outcomes.push(report.outcome);
      reports.push(report);
      return undefined;
    },
    found: () => undefined,
    requested: () => {},
    learnt: ({ crawlDelayMs }) => reported.push(`learnt ${crawlDelayMs}`),
    sitemapsRead: (sinceMs, left) => reported.push(`sitemaps ${sinceMs} ${left}`),
    requestLease: (hostKey) => reported.push(`wants ${hostKey}`),
    finish: () => reported.push('end'),
  };
  const runner: LeaseRunner = {
    ...{
      requestPath: { ...requestPath, http, pacer },
      processorShare: asker.processorShare,
      robots: { ...cache, get },
    },
    hostSlots: { open: () => ({ stopped: false, inTrouble: () => {}, close: () => {} }), of: () => 1, pause: () => {} },
    ...{ tdmFiles: createTdmFiles(clock), sitemaps: createSitemapAgenda(), totalTimeoutMs },
    reader: {
      ...{ extractor: createExtractor({ cores: 1 }), productToken: 'examplebot', linksMax: 10 },
      ...{ outlinks: false, documents: [] },
      links: { normalize: compileNormalizer(), cache: createLinkCache(64) },
    },
    ...{ headers: ['user-agent', 'examplebot'], sitemapHeaders: [], usesPolicy: () => ({}), outOfScope: () => false },
    ...{ onPage: () => {}, room: () => undefined, onSpan: () => {}, isVoid: () => false },
    sourceOf: () => ({ sourceKey: 'a.test', source: { keyHi: 1, keyLo: 2 } as never }),
    lateReports: { answerTo: () => undefined } as unknown as LeaseRunner['lateReports'],
    ...more,
  };
  const task: Task = {
    ...{ ...blankTask, hostKey: 'a.test', lanes: 1, deadlineMs: clock.nowMs() + 60_000 },
    urls: urls.map((one) => {
      const given = typeof one === 'string' ? { url: one } : one;
      const { url = '/1' } = given;
      return { ...blankTaskUrl, ...given, url: url.startsWith('/') ? `http://a.test${url}` : url };
    }),
    ...ofTask,
  };
  const lease = runLease(runner, task, reporter);
  await clock.advance(120_000);
  await lease;
  const paths = asked.map((url) => url.replace('http://a.test', ''));
  const results = reported.filter((text) => !text.startsWith('learnt') && !text.startsWith('sitemaps'));
  return { reported, results, paths, outcomes, reports, sent, asks };
}
const robots = (text: string) => ({ '/robots.txt': { status: 200, body: Buffer.from(`User-agent: *\n${text}`) } });
const failing = (kind: string, more: object = {}) =>
  ({ status: 0, failure: { kind, detail: kind }, ...more }) as Partial<HttpResponse>;

describe('a lease', () => {
  it('a lease reports each URL, the facts learnt before it, then its sitemaps, then its end', async () => {
    const { reported, paths } = await played({
      task: { sitemaps: { ...blankTask.sitemaps, sinceMs: 7, origin: 'http://a.test' } },
    });
    assert.deepEqual(reported, [
      'learnt -1',
      '0 fetched',
      'learnt -1',
      '1 fetched',
      'learnt -1',
      'sitemaps 7 0',
      'end',
    ]);
    assert.deepEqual(paths.slice(0, 3), ['/robots.txt', '/1', '/2']);
  });

  it('a lease that starts too late or has expired returns whole', async () => {
    const start = 1_700_000_000_000;
    const deadlineMs = start + 60_000;
    const returned = ['0 returned', '1 returned', 'end'];
    for (const [notBeforeMs, results] of [
      [start + 30_001, returned],
      [start + 30_000, ['0 fetched', '1 fetched', 'end']],
    ] as const)
      assert.deepEqual((await played({ task: { notBeforeMs, deadlineMs } })).results, results);
    const over = await played({ runner: { isVoid: () => true } });
    assert.deepEqual([over.reported, over.paths], [returned, []], 'and its sitemaps are not read');
    let asked = 0;
    assert.deepEqual((await played({ runner: { isVoid: () => asked++ > 0 } })).results, [
      '0 fetched',
      '1 returned',
      'end',
    ]);
  });

  it('a lease waits for its start time', async () => {
    const notBeforeMs = 1_700_000_000_000 + 500;
    const { reports } = await played({ task: { notBeforeMs } });
    assert.equal(reports[0]!.requests[0]!.startMs, notBeforeMs);
  });

  it('a lease fetches no URL that an earlier lease has reported, and returns URLs whose report is late', async () => {
    const known = { ...blankOutcome, index: 9, kind: 'gone' as const };
    const answerTo = (answer: Outcome | null) => ({
      answerTo: (_: Task, index: number) => (index === 0 ? Promise.resolve(answer) : undefined),
    });
    const late = (answer: Outcome | null) => ({
      lateReports: answerTo(answer) as unknown as LeaseRunner['lateReports'],
    });
    assert.deepEqual((await played({ runner: late(known) })).results, ['0 gone', '1 fetched', 'end']);
    const ended = await played({ runner: late(null) });
    assert.deepEqual([ended.results, ended.paths], [['0 returned', '1 returned', 'end'], []]);
  });

  it('a lease waits for room until its latest start', async () => {
    const untils: number[] = [];
    const room = (answer: boolean) => ({
      room: (untilMs: number) => {
        untils.push(untilMs);
        return Promise.resolve(answer);
      },
    });
    assert.deepEqual((await played({ runner: room(true) })).results, ['0 fetched', '1 fetched', 'end']);
    const none = await played({ runner: room(false) });
    assert.deepEqual([none.results, none.paths], [['0 returned', '1 returned', 'end'], []]);
    assert.equal(untils[0], 1_700_000_000_000 + 60_000 - totalTimeoutMs);
  });

  it('a lease for another host’s robots.txt has no URLs and reads no sitemaps', async () => {
    const hops: unknown[] = [];
    const hop = async (asked: readonly string[]) => {
      hops.push(asked);
    };
    const robotsHops = [{ url: 'http://a.test/r', asked: ['http://b.test/robots.txt'], partition: 0 }];
    for (const [isOut, reported] of [
      [false, ['sitemaps -1 0', 'end']],
      [true, ['end']],
    ] as const)
      assert.deepEqual(
        (await played({ urls: [], task: { robotsHops }, runner: { hop, outOfScope: () => isOut } })).reported,
        reported,
      );
    assert.deepEqual(hops[0], ['http://b.test/robots.txt', 'http://a.test/r']);
  });
});

describe('robots.txt', () => {
  it('robots.txt denies pages, and the lease goes on', async () => {
    const { results, paths } = await played({ answers: robots('Disallow: /1') });
    assert.deepEqual(results, ['0 robotsDenied', '1 fetched', 'end']);
    assert.equal(paths.includes('/1'), false);
  });

  it('robots.txt may ask for a delay up to the policy’s cap', async () => {
    const capped = (seconds: number, crawlDelayCapMs: number) =>
      played({ answers: robots(`Crawl-delay: ${seconds}`), task: { crawlDelayCapMs } });
    assert.deepEqual((await capped(2.001, 2_000)).results, ['0 crawlDelayTooLong', '1 crawlDelayTooLong', 'end']);
    const kept = await capped(2, 2_000);
    assert.deepEqual(kept.results, ['0 fetched', '1 fetched', 'end']);
    const [one, two] = kept.reports.map(({ requests }) => requests[0]!);
    assert.deepEqual([two!.startMs - one!.endMs, one!.delayMs], [2_001, 2_000]);
    assert.deepEqual((await capped(2.001, 0)).results, ['0 fetched', '1 fetched', 'end'], 'no cap');
  });

  it('without a robots.txt no page is fetched: one outcome says why, the others return', async () => {
    const { results, outcomes } = await played({
      answers: { '/robots.txt': { status: 503, headers: ['retry-after', '7'] } },
    });
    assert.equal(results[0]!.startsWith('0 robotsUnreachable'), true);
    assert.deepEqual(results.slice(1), ['1 returned', 'end']);
    assert.deepEqual([outcomes[0]!.retryAfterMs, outcomes[0]!.originOnly], [7_000, false]);
    const blocked = await played({ answers: { '/robots.txt': failing('blockedAddress') } });
    assert.deepEqual(blocked.results, ['0 blockedAddress', '1 blockedAddress', 'end']);
  });

  it('a host that throttles its robots.txt gets no request for a page, even with an old copy', async () => {
    const clock = createFakeClock();
    const copies = createRobotsCache(clock, 'examplebot');
    const answerOf = (status: number) => ({ ...noAnswer, status, retryAfterMs: status === 200 ? 0 : 7_000 });
    await copies.get('http://a.test', async () => answerOf(200));
    await clock.advance(25 * 3_600_000);
    const get: typeof copies.get = (origin) => copies.get(origin, async () => answerOf(429));
    const stopped: number[] = [];
    const once = { robots: { ...copies, get } };
    const { results, outcomes, paths } = await played({ runner: { ...once, inTrouble: (atMs) => stopped.push(atMs) } });
    assert.deepEqual(results, ['0 throttled robots.txt: status 429', '1 returned', 'end']);
    assert.deepEqual([outcomes[0]!.retryAfterMs, outcomes[0]!.status, paths], [7_000, 0, []]);
    assert.equal(stopped.length, 1);
    assert.deepEqual((await played({ runner: once })).results, ['0 fetched', '1 fetched', 'end'], 'the next lease');
  });

  it('a robots.txt that fails by TLS affects one origin if the host answers under its other scheme', async () => {
    const urls = ['http://a.test/1', 'https://a.test/2', 'http://a.test/3'];
    const { results, outcomes } = await played({
      urls,
      answers: { 'http://a.test/robots.txt': failing('connectionFailed') },
    });
    assert.deepEqual(
      results.map((text) => text.split(' ').slice(0, 2).join(' ')),
      ['0 robotsUnreachable', '1 fetched', '2 robotsUnreachable', 'end'],
    );
    assert.deepEqual(
      outcomes.map(({ originOnly }) => originOnly),
      [true, false, true],
    );
    const alone = await played({ urls: urls.slice(0, 1), answers: { '/robots.txt': failing('connectionFailed') } });
    assert.deepEqual(
      alone.outcomes.map(({ originOnly }) => originOnly),
      [false],
    );
    const neither = await played({ urls, answers: { '/robots.txt': failing('connectionFailed') } });
    assert.deepEqual(
      neither.outcomes.map(({ kind, originOnly }) => [kind, originOnly]),
      [
        ['robotsUnreachable', false],
        ['returned', false],
        ['returned', false],
      ],
    );
  });
});

describe('a request for a page', () => {
  it('a request for a page has the validators of the last visit, if there are any', async () => {
    const date = 'Sun, 06 Nov 1994 08:49:37 GMT';
    const urls = [
      { url: '/1', etag: '"e"', lastModified: date },
      { url: '/2', etag: '"f"' },
      { url: '/3', lastModified: 'Sunday, 06-Nov-94 08:49:37 GMT' },
      { url: '/4', etag: '*', lastModified: 'Tue' },
    ];
    const { sent } = await played({ urls });
    assert.deepEqual(sent.slice(1, 5), [
      ['user-agent', 'examplebot', 'if-none-match', '"e"', 'if-modified-since', date],
      ['user-agent', 'examplebot', 'if-none-match', '"f"'],
      ['user-agent', 'examplebot', 'if-modified-since', date],
      ['user-agent', 'examplebot'],
    ]);
  });

  it('a request for a page keeps the longer of the lease’s delay and the robots.txt delay', async () => {
    const gap = async (delayMs: number) => {
      const { reports } = await played({ answers: robots('Crawl-delay: 1'), task: { delayMs } });
      const [one, two] = reports.map(({ requests }) => requests[0]!);
      return [one!.delayMs, two!.startMs - one!.endMs];
    };
    assert.deepEqual(
      [await gap(300), await gap(3_000)],
      [
        [1_000, 1_001],
        [3_000, 3_001],
      ],
    );
  });

  it('a request for a page is not made for uses that the site bars, if the policy skips such pages', async () => {
    const answers = robots('Content-Signal: search=no');
    const skip = { runner: { usesPolicy: () => ({ uses: ['search'], usesBarred: 'skip' }) as const } };
    const { results, paths } = await played({ answers, ...skip });
    assert.match(results[0]!, /^0 robotsDenied .*search/);
    assert.match(results[1]!, /^1 robotsDenied .*search/);
    assert.equal(results.length, 3);
    assert.deepEqual(paths, ['/robots.txt']);
    const withheld = await played({ answers, runner: { usesPolicy: () => ({ uses: ['search'] }) as const } });
    assert.deepEqual(
      [withheld.reports[0]!.page, withheld.reports[0]!.withdrawn, withheld.outcomes[0]!.kind],
      [null, true, 'fetched'],
    );
    const published = await played({ answers });
    assert.deepEqual([published.reports[0]!.page === null, 'withdrawn' in published.reports[0]!], [false, false]);
  });

  it('a request for a page can be changed by a plugin', async () => {
    const hooks = {
      refuses: ({ url }: { readonly url: string }) => (url.endsWith('/1') ? 'mine' : null),
      request: async () => ({ headers: { 'user-agent': 'other' }, skip: '' }),
      response: async (_: string, response: HttpResponse) => response,
      ...{
        parses: () => false,
        page: async (page: unknown) => ({ page, droppedBy: '' }),
        normalize: (url: string) => url,
        priority: () => -1,
      },
    };
    const links = { normalize: compileNormalizer(), cache: createLinkCache(64) };
    const reader = {
      extractor: createExtractor({ cores: 1 }),
      productToken: 'examplebot',
      linksMax: 10,
      outlinks: false,
      documents: [],
    };
    const { results, sent } = await played({ runner: { reader: { ...reader, links, hooks: hooks as never } } });
    assert.match(results[0]!, /^0 refused .*mine/);
    assert.deepEqual(results.slice(1), ['1 fetched', 'end']);
    assert.deepEqual(sent[1], ['user-agent', 'other']);
  });

  it('a request for a page that asks for payment reports the price and fetches no page', async () => {
    const answers = { '/1': { status: 402, headers: ['crawler-price', 'USD 0.5'] } };
    const { results, outcomes } = await played({ answers });
    assert.match(results[0]!, /^0 paymentRequired .*USD 0\.5.*not paid/);
    assert.deepEqual(results.slice(1), ['1 fetched', 'end']);
    assert.equal(outcomes[0]!.price, 'USD 0.5');
    const cut = await played({ answers: { '/1': { ...answers['/1'], ...failing('connectionFailed'), status: 402 } } });
    assert.doesNotMatch(cut.results[0]!, /not had/);
  });
});

describe('the reports of a lease to others', () => {
  it('every page is reported, with its task and its response', async () => {
    const pages: unknown[] = [];
    const { reports } = await played({
      answers: { '/1': { status: 404 } },
      runner: { onPage: (page, task, { status }) => pages.push([page.url, task.hostKey, status]) },
    });
    assert.deepEqual(pages, [['http://a.test/2', 'a.test', 200]]);
    assert.deepEqual(
      reports.map(({ page }) => page?.url),
      [undefined, 'http://a.test/2'],
    );
  });

  it('the start of a lease, and whether a failure would be the server’s, are reported', async () => {
    const asked = async (more: Played) =>
      (await played(more)).asks.map((one) => {
        const { isBegun, failing: of } = one as { readonly isBegun: boolean; readonly failing?: object };
        return [isBegun, of];
      });
    const nothing = undefined;
    assert.deepEqual(await asked({}), [
      [false, nothing],
      [true, nothing],
      [true, nothing],
    ]);
    const urls = [{ url: '/1', attempt: 1 }, '/2'];
    assert.deepEqual((await asked({ isKnown: true, task: { serverErrorsMax: 3 }, urls })).slice(-2), [
      [false, { url: 'http://a.test/1', isFirstTry: false, most: 3 }],
      [true, { url: 'http://a.test/2', isFirstTry: true, most: 3 }],
    ]);
  });
});

describe('a URL that a client fetches', () => {
  const reported = {
    ...{
      kind: null,
      status: 200,
      failure: null,
      detail: '',
      headers: ['content-type', 'text/html'],
      startMs: 0,
      endMs: 5,
    },
    ...{
      bytes: 9,
      contentHash: 'ab',
      title: 'Theirs',
      text: 'words',
      links: 4,
      body: null,
      final: false,
      follow: false,
    },
  };
  const outside = (answer: object | null, only = false) => {
    const client = answer && { hand: async () => answer, pass: () => {} };
    const waits = { begin: () => () => {}, clientNow: () => client, client: async () => client };
    return { outside: { ...waits, only, leasesWanted: 0, onWanted: () => {}, stop: async () => {} } as never };
  };

  it('a URL that a client fetches is reported as the client says', async () => {
    const { outcomes, reports, paths } = await played({ runner: outside(reported) });
    assert.deepEqual(
      outcomes.map(({ kind, links }) => [kind, links]),
      [
        ['fetched', 4],
        ['fetched', 4],
      ],
    );
    assert.deepEqual([reports[0]!.page?.title, paths.includes('/1')], ['Theirs', false]);
    const priced = { ...reported, status: 402, headers: ['crawler-price', 'USD 0.5'] };
    const { results } = await played({ runner: outside(priced) });
    assert.doesNotMatch(results[0]!, /not had/, 'what it costs them is theirs');
  });

  it('a URL for clients is fetched by us if no client is there, or returns if it is for clients only', async () => {
    assert.deepEqual((await played({ runner: outside(null) })).results, ['0 fetched', '1 fetched', 'end']);
    const theirs = await played({ runner: outside(null, true) });
    assert.deepEqual(theirs.results, ['0 returned', '1 returned', 'end']);
  });
});

/** robots.txt is there once, and nothing else is. */
function leaving(away: Partial<HttpResponse>, url = '/1'): Answers {
  let asked = 0;
  return {
    [url]: away,
    get '/robots.txt'() {
      return asked++ === 0 ? { status: 404 } : away;
    },
  };
}

describe('a host in trouble', () => {
  const kindsAfter = async (answer: Partial<HttpResponse>, more: Played = {}) =>
    (await played({ answers: { '/1': answer, ...more.answers }, ...more })).outcomes.map(({ kind }) => kind);

  it('a host in trouble is left alone, and its other URLs return', async () => {
    for (const [answer, kinds] of [
      [{ status: 429 }, ['throttled', 'returned']],
      [{ status: 503 }, ['throttled', 'returned']],
      [failing('timeout'), ['timeout', 'returned']],
      [{ ...failing('connectionFailed'), status: 200 }, ['connectionFailed', 'fetched']],
      [failing('connectionFailed'), ['connectionFailed', 'fetched']],
      [failing('aborted'), ['returned', 'returned']],
      [{ status: 500 }, ['serverError', 'fetched']],
      [{ status: 404 }, ['gone', 'fetched']],
      [{ status: 404, headers: ['retry-after', '9'] }, ['gone', 'returned']],
      [{ status: 301, headers: ['location', '/x', 'retry-after', '9'] }, ['redirect', 'returned']],
      [{ status: 502, headers: ['retry-after', '9'] }, ['serverError', 'returned']],
      [{ headers: ['content-type', 'text/html', 'retry-after', '9'] }, ['fetched', 'fetched']],
      [failing('badResponse'), ['badResponse', 'fetched']],
    ] as const)
      assert.deepEqual(await kindsAfter(answer), kinds, JSON.stringify(answer));
  });

  it('a host that stops answering URLs and robots.txt is in trouble if it had answered before', async () => {
    for (const away of [failing('connectionFailed'), failing('dnsFailed'), failing('tlsFailed')]) {
      const { outcomes, paths } = await played({ answers: leaving(away) });
      assert.deepEqual(
        outcomes.map(({ kind, originOnly }) => [kind, originOnly]),
        [
          [away.failure!.kind, false],
          ['returned', false],
        ],
      );
      assert.deepEqual(paths, ['/robots.txt', '/1', '/robots.txt']);
    }
  });

  it('a host is in trouble after several server failures in a row, not counting retries', async () => {
    const broken = { status: 500 };
    const answers = { '/1': broken, '/2': broken, '/3': broken };
    const urls = ['/1', '/2', '/3', '/4'];
    const kinds = async (task: Partial<Task>, of: Played['urls'] = urls) =>
      (await played({ answers, urls: of!, task })).outcomes.map(({ kind }) => kind.slice(0, 3)).join(' ');
    assert.equal(await kinds({ serverErrorsMax: 0 }), 'ser ser ser fet');
    assert.equal(await kinds({ serverErrorsMax: 2 }), 'ser ser ret ret');
    assert.equal(await kinds({ serverErrorsMax: 3, serverErrors: 1 }), 'ser ser ret ret');
    assert.equal(await kinds({ serverErrorsMax: 4 }), 'ser ser ser fet');
    const retried = urls.map((url) => ({ url, attempt: 1 }));
    assert.equal(await kinds({ serverErrorsMax: 2 }, retried), 'ser ser ser fet');
    assert.equal(await kinds({ serverErrorsMax: 2 }, ['/1', '/4', '/2', '/4']), 'ser fet ser fet', 'not in a row');
  });

  it('a host’s trouble is known to concurrent leases', async () => {
    const troubles: number[] = [];
    const hostSlots = (stopped = false) => ({
      open: () => ({ stopped, inTrouble: (atMs: number) => troubles.push(atMs), close: () => {} }),
      ...{ of: () => 2, pause: () => {} },
    });
    const task = { lanes: 2 };
    await played({ task, runner: { hostSlots: hostSlots() } });
    assert.deepEqual(troubles, []);
    await played({ task, runner: { hostSlots: hostSlots() }, answers: { '/1': { status: 429 } } });
    await played({ task, runner: { hostSlots: hostSlots() }, answers: { '/robots.txt': { status: 500 } } });
    assert.equal(troubles.length, 2);
    const stopped = await played({ task, runner: { hostSlots: hostSlots(true) } });
    assert.deepEqual([stopped.results, stopped.paths], [['0 returned', '1 returned', 'end'], []]);
  });

  it('a wrong certificate concerns one origin only if the other origin answers', async () => {
    const answers = { 'https://a.test/1': failing('tlsFailed') };
    const both = await played({ urls: ['https://a.test/1', 'http://a.test/2', 'https://a.test/3'], answers });
    assert.deepEqual(
      both.outcomes.map(({ kind, originOnly }) => [kind, originOnly]),
      [
        ['tlsFailed', true],
        ['fetched', false],
        ['tlsFailed', true],
      ],
    );
    const alone = await played({
      urls: ['https://a.test/1', 'https://a.test/3'],
      answers: leaving(failing('tlsFailed'), 'https://a.test/1'),
    });
    assert.deepEqual(
      alone.outcomes.map(({ kind, originOnly }) => [kind, originOnly]),
      [
        ['tlsFailed', false],
        ['returned', false],
      ],
    );
  });
});

describe('a URL that is traced', () => {
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  /** The spans of one URL that is traced, and one that is not; of its publishing with what was published. */
  const spansOf = async (answer: Partial<HttpResponse>) => {
    const spans: string[] = [];
    const onSpan: LeaseRunner['onSpan'] = ({ name, attributes }) =>
      spans.push(name === 'publish' ? `publish ${attributes['crawlstream.records']}` : name);
    const { outcomes, reports } = await played({
      ...{ urls: [{ url: '/1', traceparent }, '/2'], runner: { onSpan } },
      answers: { '/1': answer },
    });
    for (const { spans } of reports) spans?.acked();
    return { spans, contexts: outcomes.map((outcome) => outcome.traceparent) };
  };

  it('a sampled URL is reported with its continued trace context', async () => {
    const { contexts } = await spansOf({});
    assert.match(contexts[0]!, /^00-0af7651916cd43dd8448eb211c80319c-/);
    assert.equal(contexts[1], '');
  });

  it('a sampled URL reports each step, with the number of its records', async () => {
    assert.deepEqual((await spansOf({})).spans, ['robots', 'fetch', 'parse', 'publish 1', 'lease']);
    const body = Buffer.from('<a href=/x>x</a><a href=http://b.test/>y</a>');
    assert.deepEqual((await spansOf({ body })).spans, ['robots', 'fetch', 'parse', 'publish 3', 'lease']);
    assert.deepEqual((await spansOf({ status: 404 })).spans, ['robots', 'fetch', 'lease'], 'of no page');
  });
});
