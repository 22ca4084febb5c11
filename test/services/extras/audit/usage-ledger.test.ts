/** The ledger of consent, and its being gone through again, on records in memory. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { blankPageUsage } from '../../../../schemas/blank.ts';
import type { Page, PageUsage, Request, Result } from '../../../../schemas/types.ts';
import { type RecheckedPage, type RecheckRun, recheck } from '../../../../services/extras/audit/recheck.ts';
import { type LedgerPage, type LedgerRun, runLedger } from '../../../../services/extras/audit/usage-ledger.ts';
import { usagePolicies } from '../../../../services/extras/audit/usage-policies.ts';
import { bytes, hashOf, type Placed, record, request, robotsCopy, sourceOf } from './on-log.ts';

const dayMs = 1_700_000_000_000;
const origin = 'https://a.test';
const noTraining = 'User-agent: *\nContent-Signal: ai-train=no\n';
const uses = ['search', 'ai-train'];

const said = (use: string, preference: string, source: string, text: string, fromMs = 0): PageUsage => ({
  ...{ ...blankPageUsage, use, preference, source, said: text, fromMs },
});
const byRobots = said('ai-train', 'deny', 'robots.txt', 'Content-Signal: ai-train=no');

function page(path: string, given: Partial<Page> = {}, partition = 0): Placed {
  return record('pages', partition, { url: `${origin}${path}`, fetchedAtMs: dayMs, ...given });
}

/** The visit that fetched such a page. */
function visit(path: string, asked: Partial<Request> = {}, result: Partial<Result> = {}, partition = 0): Placed {
  const by = { endMs: dayMs, robotsHash: hashOf(noTraining), robotsAtMs: dayMs - 1_000 };
  return record('results', partition, {
    ...{ policyVersion: 1, robotsTokens: 'crawlstream' },
    requests: [request(`${origin}${path}`, { ...by, ...asked })],
    ...result,
  });
}

async function ledger(records: readonly Placed[], run: Partial<LedgerRun> = {}) {
  const pages: LedgerPage[] = [];
  const onPage = (one: LedgerPage) => void pages.push(one);
  return { counts: await runLedger(await sourceOf(records), { uses, fromMs: 0, onPage, ...run }), pages };
}

describe('the ledger of consent', () => {
  const copy = robotsCopy(1, origin, noTraining);

  it('the ledger of consent states what each page was allowed for when it was fetched, and by which statement', async () => {
    const { counts, pages } = await ledger([copy, visit('/1'), page('/1', { usage: [byRobots] })]);
    assert.deepEqual(pages, [
      {
        ...{ url: `${origin}/1`, fetchedAtMs: dayMs, robotsHash: hashOf(noTraining), changesAtMs: null, wrong: [] },
        uses: {
          search: { preference: 'unknown', by: '' },
          'ai-train': { preference: 'deny', by: 'robots.txt: Content-Signal: ai-train=no' },
        },
      },
    ]);
    assert.deepEqual(counts, {
      ...{ pages: 1, unproven: 0, unreadable: 0, wrong: 0 },
      byUse: { search: { allow: 0, deny: 0, unknown: 1 }, 'ai-train': { allow: 0, deny: 1, unknown: 0 } },
    });
  });

  it('the ledger of consent finds records that differ from the statements', async () => {
    const { counts, pages } = await ledger([
      ...[copy, visit('/denied'), visit('/allowed'), visit('/header'), visit('/cut')],
      page('/denied'),
      page('/allowed', { usage: [said('ai-train', 'allow', 'robots.txt', 'Content-Signal: ai-train=yes'), byRobots] }),
      page('/header', { usage: [byRobots, said('search', 'deny', 'header x-robots-tag', 'nosnippet')] }),
      page('/cut', { usage: [said('ai-train', 'allow', 'header x-robots-tag', 'x'.repeat(300))] }),
    ]);
    assert.deepEqual(
      pages.map(({ wrong }) => wrong),
      [
        ['its record has unknown for ai-train, but the audit finds deny (robots.txt: Content-Signal: ai-train=no)'],
        [],
        ['its record has deny for search, but the audit finds unknown'],
        [],
      ],
    );
    assert.deepEqual([counts.pages, counts.wrong], [4, 2]);
    const nearlyCut = page('/cut', { usage: [said('ai-train', 'allow', 'header x-robots-tag', 'x'.repeat(299))] });
    assert.equal((await ledger([copy, visit('/cut'), nearlyCut])).counts.wrong, 1);
  });

  it('the ledger of consent accepts a page’s permissions, and finds permissions that it never gave', async () => {
    const allowed = said('search', 'allow', 'header content-usage', 'search=y');
    const records = [copy, visit('/1'), visit('/2'), page('/1', { usage: [byRobots, allowed] })];
    const invented = said('search', 'allow', 'header content-usage', 'search=perhaps');
    const { pages } = await ledger([...records, page('/2', { usage: [byRobots, invented] })]);
    assert.deepEqual(pages[0]!.wrong, []);
    assert.equal(pages[0]!.uses['search']?.preference, 'allow');
    assert.deepEqual(pages[1]!.wrong, ['its record has allow for search, but the audit finds unknown']);
  });

  it('the ledger of consent knows when a use will be barred that is allowed now', async () => {
    const dated = (fromMs: number) =>
      said('search', 'deny', 'header x-robots-tag', `unavailable_after: ${new Date(fromMs).toUTCString()}`, fromMs);
    const [soonMs, laterMs] = [dayMs + 60_000, dayMs + 120_000];
    const { pages } = await ledger([
      ...[copy, visit('/1'), visit('/2'), visit('/3')],
      page('/1', { usage: [byRobots, dated(laterMs), dated(soonMs)] }),
      page('/2', {
        usage: [byRobots, { ...dated(soonMs), preference: 'allow' }, { ...dated(soonMs), use: 'archive' }],
      }),
      page('/3', { usage: [byRobots, dated(dayMs)] }),
    ]);
    assert.deepEqual(
      pages.map(({ changesAtMs, uses, wrong }) => [changesAtMs, uses['search']?.preference, wrong.length]),
      [
        [soonMs, 'unknown', 0],
        [null, 'unknown', 0],
        [null, 'deny', 0],
      ],
    );
  });

  it('the ledger of consent skips pages whose visit or robots.txt is missing, and those before a time', async () => {
    const records = [
      ...[
        copy,
        visit('/1'),
        visit('/other'),
        visit('/robots', { kind: 'robots' }),
        visit('/none', { outcomeIndex: -1 }),
      ],
      ...[
        visit('/late', { endMs: dayMs + 1 }),
        visit('/early', { endMs: dayMs - 1 }),
        visit('/lost', { robotsHash: 'lost' }),
        visit('/free', { robotsHash: '' }),
      ],
      ...['/1', '/robots', '/none', '/late', '/early', '/lost', '/free', '/unvisited'].map((path) => page(path)),
      bytes('robots', 0, 'damaged'),
      ...[bytes('pages', 0, 'damaged'), bytes('results', 0, 'damaged'), bytes('pages', 0, '', `${origin}/gone`)],
    ];
    const { counts, pages } = await ledger(records);
    assert.deepEqual(
      pages.map(({ url }) => url),
      [`${origin}/1`, `${origin}/free`],
    );
    assert.deepEqual([counts.pages, counts.unproven, counts.unreadable], [2, 6, 2]);
    assert.equal((await ledger(records, { fromMs: dayMs })).counts.pages, 2);
    const after = (await ledger(records, { fromMs: dayMs + 1 })).counts;
    assert.deepEqual([after.pages, after.unproven], [0, 0]);
  });

  it('the ledger of consent takes the newest earlier visit for a page that a browser rendered', async () => {
    const rendered = (fetchedAtMs: number) => page('/1', { rendered: true, fetchedAtMs, usage: [byRobots] });
    const visits = [
      visit('/1', { robotsHash: '', endMs: dayMs - 500 }),
      visit('/1'),
      visit('/1', { endMs: dayMs + 99 }),
    ];
    const hashes = async (fetchedAtMs: number) => {
      const { counts, pages } = await ledger([copy, ...visits, rendered(fetchedAtMs)]);
      return [pages[0]?.robotsHash, counts.unproven];
    };
    assert.deepEqual(await hashes(dayMs - 501), [undefined, 1]);
    assert.deepEqual(await hashes(dayMs - 1), ['', 0]);
    assert.deepEqual(await hashes(dayMs), [hashOf(noTraining), 0]);
    assert.deepEqual(await hashes(dayMs + 98), [hashOf(noTraining), 0]);
  });

  it('the ledger of consent reads a robots.txt for the names of the lease; for old releases, of the copy', async () => {
    const named =
      'User-agent: OtherBot\nContent-Signal: search=no\n\nUser-agent: crawlstream\nContent-Signal: search=yes\n';
    const hashes = { robotsHash: hashOf(named) };
    const { pages } = await ledger([
      robotsCopy(0, origin, named),
      visit('/ours', hashes),
      visit('/theirs', hashes, { robotsTokens: 'OtherBot' }),
      visit('/old', hashes, { robotsTokens: '' }),
      ...['/ours', '/theirs', '/old'].map((path) => page(path)),
    ]);
    assert.deepEqual(
      pages.map(({ uses }) => uses['search']?.preference),
      ['allow', 'deny', 'allow'],
    );
  });

  it('the ledger of consent reads headers for the names of the lease', async () => {
    const usage = [said('search', 'deny', 'header x-robots-tag', 'OtherBot: noindex')];
    const { pages } = await ledger([
      ...[visit('/1', { robotsHash: '' }), visit('/2', { robotsHash: '' }, { robotsTokens: 'otherbot Second' })],
      ...[page('/1'), page('/2', { usage })],
    ]);
    assert.deepEqual(
      pages.map(({ uses }) => uses['search']?.preference),
      ['unknown', 'deny'],
    );
    const ours = [said('search', 'deny', 'header x-robots-tag', 'CrawlStream: noindex')];
    const old = await ledger([
      ...[robotsCopy(0, origin, noTraining, { token: 'CrawlStream' }), visit('/1', {}, { robotsTokens: '' })],
      page('/1', { usage: ours }),
    ]);
    assert.equal(old.pages[0]?.uses['search']?.preference, 'deny', 'of an old release, those of its copies');
  });

  it('the ledger of consent reads the bytes of a copy, whichever origin has them', async () => {
    const without = robotsCopy(0, origin, '', { hash: hashOf(noTraining) });
    for (const copies of [
      [without, robotsCopy(0, 'https://b.test', noTraining)],
      [robotsCopy(0, 'https://b.test', noTraining), without],
    ]) {
      const { pages } = await ledger([...copies, visit('/1'), page('/1', { usage: [byRobots] })]);
      assert.equal(pages[0]?.uses['ai-train']?.preference, 'deny');
    }
  });

  it('the ledger of consent objects to a page published although the policy wants it for a barred use', async () => {
    const policy = (version: number, atMs: number, payload: object | string) =>
      record('control', 1, {
        ...{ kind: 'policy', version, atMs },
        payload: typeof payload === 'string' ? payload : JSON.stringify(payload),
      });
    const wrong = async (...policies: readonly Placed[]) => {
      const published = [copy, visit('/1'), page('/1', { usage: [byRobots] })];
      return (await ledger([...policies, ...published])).pages[0]!.wrong;
    };
    const barred =
      'it was published although the policy wants ai-train, which is disallowed by robots.txt: Content-Signal: ai-train=no';
    const wants = { uses: ['ai-train', 'search', 7] };
    assert.deepEqual(await wrong(policy(1, dayMs - 9, wants)), [barred]);
    assert.deepEqual(await wrong(policy(1, dayMs - 9, { uses: ['search'] })), []);
    assert.deepEqual(await wrong(policy(1, dayMs - 9, { ...wants, usesBarred: 'mark' })), []);
    assert.deepEqual(await wrong(policy(1, dayMs - 9, 'damaged')), []);
    assert.deepEqual(await wrong(policy(1, dayMs - 9, { uses: 'ai-train' })), []);
    // What came into force in between may have let it through; what came later has not.
    assert.deepEqual(await wrong(policy(1, dayMs - 9, wants), policy(2, dayMs, { uses: [] })), []);
    assert.deepEqual(await wrong(policy(1, dayMs - 9, wants), policy(2, dayMs + 1, { uses: [] })), [barred]);
    assert.deepEqual(await wrong(policy(1, dayMs - 9, wants), policy(0, dayMs - 99, { uses: [] })), [barred]);
    // Of a version, the first word counts: it is on every partition.
    assert.deepEqual(await wrong(policy(1, dayMs - 9, wants), policy(1, dayMs - 9, { uses: [] })), [barred]);
  });
});

describe('the policies of a crawl', () => {
  it('the policies of a crawl bar only uses that every policy in force wanted', async () => {
    const policy = (partition: number, version: number, atMs: number, wanted: readonly string[]) =>
      record('control', partition, { kind: 'policy', version, atMs, payload: JSON.stringify({ uses: wanted }) });
    const { barring } = await usagePolicies(
      await sourceOf([
        ...[policy(0, 1, 10, ['a', 'b', 'c']), policy(1, 2, 20, ['b', 'c']), policy(0, 3, 30, ['c', 'a'])],
        ...[bytes('control', 0, 'damaged'), record('control', 0, { kind: 'raise', version: 1, atMs: 5 })],
      ]),
    );
    assert.deepEqual(
      [barring(1, 19), barring(1, 20), barring(1, 30), barring(2, 29), barring(2, 30), barring(3, 99), barring(4, 99)],
      [['a', 'b', 'c'], ['b', 'c'], ['c'], ['b', 'c'], ['c'], ['c', 'a'], []],
    );
  });
});

async function rechecked(records: readonly Placed[], run: Partial<RecheckRun> = {}) {
  const pages: RecheckedPage[] = [];
  const onPage = (one: RecheckedPage) => void pages.push(one);
  const ages = { robotsAgeMs: 1_000_000, pageAgeMs: 1_000_000 };
  const source = await sourceOf(records);
  return { counts: await recheck(source, { uses, nowMs: dayMs + 1_000, ...ages, onPage, ...run }), pages };
}

describe('the ledger, gone through again', () => {
  const quiet = 'User-agent: *\nDisallow: /x\n';
  const newer = robotsCopy(0, origin, noTraining, { fetchedAtMs: dayMs + 500 });
  const older = robotsCopy(1, origin, quiet, { fetchedAtMs: dayMs - 500 });

  it('a second run of the ledger uses the newest robots.txt of any partition, and lists what it withdraws', async () => {
    const { counts, pages } = await rechecked([newer, older, page('/1'), page('/2', { usage: [byRobots] }, 1)]);
    assert.deepEqual(pages, [
      {
        ...{ url: `${origin}/1`, fetchedAtMs: dayMs, withdrawn: ['ai-train'], askAgain: [] },
        uses: {
          search: { preference: 'unknown', by: '' },
          'ai-train': { preference: 'deny', by: 'robots.txt: Content-Signal: ai-train=no' },
        },
      },
      { ...pages[1]!, url: `${origin}/2`, withdrawn: [] },
    ]);
    assert.deepEqual(counts, {
      ...{ pages: 2, withdrawn: 1, expired: 0, unreadable: 0, robotsToAsk: new Map() },
      byUse: { search: { allow: 0, deny: 0, unknown: 2 }, 'ai-train': { allow: 0, deny: 2, unknown: 0 } },
    });
    const before = await rechecked([
      { ...newer },
      robotsCopy(1, origin, quiet, { fetchedAtMs: dayMs + 500 }),
      page('/1'),
    ]);
    assert.deepEqual(before.pages[0]?.withdrawn, [], 'of two that are as new, the last counts');
  });

  it('a second run of the ledger dates a copy by the later visit that found it unchanged', async () => {
    const back = visit('/1', { robotsHash: hashOf(quiet), robotsAtMs: dayMs + 501 });
    const same = visit('/1', { robotsHash: hashOf(quiet), robotsAtMs: dayMs + 500 });
    assert.deepEqual((await rechecked([newer, older, back, page('/1')])).pages[0]?.withdrawn, []);
    assert.deepEqual((await rechecked([newer, older, same, page('/1')])).pages[0]?.withdrawn, ['ai-train']);
  });

  it('a second run of the ledger applies statements whose time has come since', async () => {
    const at = (fromMs: number) =>
      page('/1', {
        usage: [
          said('search', 'deny', 'header x-robots-tag', `unavailable_after: ${new Date(fromMs).toUTCString()}`, fromMs),
        ],
      });
    const withdrawn = async (fromMs: number) => (await rechecked([at(fromMs)])).pages[0]?.withdrawn;
    assert.deepEqual(await withdrawn(dayMs), []);
    assert.deepEqual(await withdrawn(dayMs + 1_000), ['search']);
    assert.deepEqual(await withdrawn(dayMs + 2_000), []);
  });

  it('a second run of the ledger refetches what is too old or missing', async () => {
    const asks = async (records: readonly Placed[], run: Partial<RecheckRun>) => {
      const { counts, pages } = await rechecked(records, run);
      return [pages[0]?.askAgain, [...counts.robotsToAsk], counts.expired];
    };
    const [aged, both] = [{ robotsAgeMs: 500 }, { robotsAgeMs: 499, pageAgeMs: 999 }];
    const copyMs = dayMs + 500;
    assert.deepEqual(await asks([newer, page('/1')], aged), [[], [], 0]);
    assert.deepEqual(await asks([newer, page('/1')], both), [['robots.txt', 'page'], [[origin, copyMs]], 1]);
    assert.deepEqual(await asks([newer, page('/1')], { pageAgeMs: 1_000 }), [[], [], 0]);
    // Of an origin that was never asked there is nothing to ask again; of one that was, its copy is missing.
    assert.deepEqual(await asks([page('/1')], aged), [[], [], 0]);
    assert.deepEqual(await asks([visit('/1', { robotsAtMs: 0 }), page('/1')], aged), [[], [], 0]);
    assert.deepEqual(await asks([visit('/1', { kind: 'robots' }), page('/1')], aged), [[], [], 0]);
    const lost = visit('/1', { robotsHash: 'lost', robotsAtMs: dayMs + 900 });
    assert.deepEqual(await asks([lost, page('/1')], aged), [['robots.txt'], [[origin, dayMs + 900]], 1]);
  });

  it('a second run of the ledger counts each URL’s newest page, none that was withdrawn, and unreadable ones', async () => {
    const { counts, pages } = await rechecked([
      ...[page('/1'), page('/2'), page('/3'), page('/1', { fetchedAtMs: dayMs + 7 })],
      ...[bytes('pages', 0, '', `${origin}/2`), bytes('pages', 0, '', `${origin}/3`), page('/3')],
      ...[bytes('pages', 0, 'damaged'), bytes('results', 0, 'damaged')],
    ]);
    assert.deepEqual(
      pages.map(({ url, fetchedAtMs }) => [url, fetchedAtMs]),
      [
        [`${origin}/1`, dayMs + 7],
        [`${origin}/3`, dayMs],
      ],
    );
    assert.deepEqual([counts.pages, counts.unreadable], [2, 1]);
  });
});
