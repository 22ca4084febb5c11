import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseDumpHead, parseDumpLine } from '../../../../topology/frontier/transfer/parse-dump-line.ts';

const head = {
  ...{ dump: 'crawlstream', version: 2, id: 'd1', madeAtMs: 1, madeBy: '0.3.0', crawl: 'c', partitions: 4 },
  ...{ keyMode: 'host', seenKeyVersion: 1, fingerprintVersion: 1, fingerprintKey: 'ff', policy: null, asked: null },
  seeds: [],
};
const history = {
  ...{ changes: 0, changedS: 0, changedSquares: 0, unchanged: 0, unchangedS: 0, recent: 1, intervalS: 0 },
};
const visits = {
  ...{ frontQueue: 0, visitedAtMs: 0, changedAtMs: 0, failures: 0, dueAtMs: 0, signature: '', history },
};
const queued = { url: 'http://a.test/', status: 'queued', frontQueue: 0 };
const waiting = { ...queued, status: 'waiting' };
const page = { url: 'https://a.test/', status: 'page', outcome: 'fetched' };
const budget = { budget: 'a.test', hosts: [], period: 0, used: 0, sources: [] };
const slots = { own: -1, most: 0, freeAtMs: [] };

/** The field that an error names, or null where the line is read. */
function refused(line: unknown, number = 3): string | null {
  try {
    parseDumpLine(JSON.stringify(line), number);
    return null;
  } catch (error) {
    const { code, message } = error as { code: string; message: string };
    assert.equal(code, 'INVALID_RECORD');
    assert.ok(message.startsWith(`line ${number} of the dump: `), message);
    assert.match(message, /or correct that line$/);
    return /"([\w.]+)"/.exec(message)?.[1] ?? '';
  }
}

/** Lines with a field as it is given: whether they are read. */
function isRead(line: object, field: string, values: readonly unknown[]): boolean[] {
  return values.map((value) => {
    const reported = refused({ ...line, [field]: value });
    assert.ok(
      reported === null || reported === field || reported.startsWith(`${field}.`),
      `${field} = ${value}: ${reported}`,
    );
    return reported === null;
  });
}

const yes = true;
const no = false;

test('each kind of line is read as it is written', () => {
  for (const line of [
    queued,
    waiting,
    page,
    { url: 'http://a.test/', status: 'known' },
    { ...page, visits: { ...visits, gain: { urls: 1, seconds: 2, visits: 3 } } },
    { host: 'a.test' },
    { host: 'a.test', facts: { pages: 3, hold: 'blocked', deferredOpen: true }, purged: [1, 2], hostSlots: slots },
    budget,
    { partition: 1, offset: 2, nowMs: 3 },
    { repeated: { page: 1 } },
    { tallies: { fetches: 1 } },
    { end: true, lines: 1, totals: {} },
    { links: { hostKey: 'a.test', links: [] } },
    { letter: { hostKey: 'a.test', original: 'AAE=' } },
  ])
    assert.deepEqual(parseDumpLine(JSON.stringify(line), 2), line);
});

test('names of the first format are read as today’s, at any depth', () => {
  const { frontQueue, ...old } = { ...queued, frontQueue: 5 };
  assert.deepEqual(parseDumpLine(JSON.stringify({ ...old, band: frontQueue }), 2), { ...old, frontQueue });
  const trap = { pattern: 'p', reason: 'r', detail: 'd' };
  assert.deepEqual(
    parseDumpLine(
      JSON.stringify({ host: 'a.test', lanes: slots, traps: { trapped: [{ ...trap, band: 16 }], released: [] } }),
      2,
    ),
    { host: 'a.test', hostSlots: slots, traps: { trapped: [{ ...trap, frontQueue: 16 }], released: [] } },
  );
});

test('a line that is no JSON object, or of an unknown kind, is refused', () => {
  for (const text of ['{', '1', 'null', '[]', '"url"']) {
    const error = { code: 'INVALID_RECORD', message: /^line 9 of the dump: it is not( a)? JSON/ };
    assert.throws(() => parseDumpLine(text, 9), error);
  }
  for (const text of ['{"later":1}', '{}'])
    assert.throws(() => parseDumpLine(text, 9), {
      code: 'INVALID_RECORD',
      message: /is not the first field of any line/,
    });
});

test('a URL must be http or https, and in a possible place', () => {
  const urls = ['http://a', 'https://a/', 'http:///a', 'https://', 'ftp://a/', 'x http://a', '', 5, null];
  assert.deepEqual(isRead(queued, 'url', urls), [yes, yes, no, no, no, no, no, no, no]);
  const statuses = ['queued', 'waiting', 'known', 'page', 'redirected', 'denied', 'failed', 'dead', 'leased', null];
  assert.deepEqual(isRead(queued, 'status', statuses), [yes, yes, yes, yes, yes, yes, yes, yes, no, no]);
});

test('numbers of a URL are whole and not negative', () => {
  for (const field of ['depth', 'hop', 'attempts', 'expiries', 'dueAtMs', 'http', 'atMs'])
    assert.deepEqual(isRead(queued, field, [0, 1, 2 ** 53 - 1, 2 ** 53, -1, 0.5, '1', null]), [
      ...[yes, yes, yes, no, no, no, no, no],
    ]);
});

test('a front queue is one of a host’s possible ones, up to the last trap', () => {
  for (const line of [queued, waiting])
    assert.deepEqual(isRead(line, 'frontQueue', [0, 7, 47, 48, -1, '0', undefined]), [yes, yes, yes, no, no, no, no]);
  // What is finished stands in none.
  assert.deepEqual(isRead(page, 'frontQueue', [48]), [yes]);
});

test('a spelling is a path, tags are texts, a payload is a text', () => {
  for (const line of [queued, page]) {
    assert.deepEqual(isRead(line, 'spelling', ['/', '/a?b', 'a', '', 5, null]), [yes, yes, no, no, no, no]);
    assert.deepEqual(isRead(line, 'tags', [[], ['a', 'b'], ['a', 5], [''], 'a', null]), [yes, yes, no, no, no, no]);
  }
  for (const line of [queued, waiting]) assert.deepEqual(isRead(line, 'payload', ['AAE=', '', 5]), [yes, no, no]);
});

test('an outcome must be a known one', () => {
  assert.deepEqual(isRead(page, 'outcome', ['fetched', 'unknown', 'fine', null]), [yes, yes, no, no]);
});

test('visits are complete, and only of fetched URLs', () => {
  const seen = { ...page, visits };
  for (const field of Object.keys(visits))
    assert.equal(refused({ ...page, visits: { ...visits, [field]: 'x' } }) === null, field === 'signature');
  for (const field of Object.keys(history)) {
    assert.equal(refused({ ...page, visits: { ...visits, history: { ...history, [field]: -1 } } }), 'visits');
  }
  assert.equal(refused({ ...page, visits: { ...visits, signature: 5 } }), 'visits');
  assert.equal(refused({ ...seen, status: 'known' }), 'visits');
  assert.equal(refused({ ...seen, status: 'dead' }), null);
  for (const bad of [null, {}, { ...visits, history: null }]) assert.equal(refused({ ...page, visits: bad }), 'visits');
  const gains = [
    { urls: 0, seconds: 0, visits: 0 },
    { urls: 1, seconds: 2 },
    { urls: 1, seconds: -2, visits: 3 },
    null,
    5,
  ];
  assert.deepEqual(
    gains.map((gain) => refused({ ...page, visits: { ...visits, gain } })),
    [null, 'visits', 'visits', 'visits', 'visits'],
  );
});

test('a host has a name, facts of this version, slots and purged fingerprints', () => {
  assert.deepEqual(isRead({ host: 'a' }, 'host', ['a', '', 5, null]), [yes, no, no, no]);
  const of = (hostSlots: object) => refused({ host: 'a.test', hostSlots });
  for (const good of [slots, { own: 3, most: 2, freeAtMs: [0, 5] }]) assert.equal(of(good), null);
  for (const bad of [{ own: 0.5 }, { own: '1' }, { most: -1 }, { freeAtMs: [-1] }, { freeAtMs: 1 }, { freeAtMs: null }])
    assert.equal(of({ ...slots, ...bad }), 'hostSlots');
  assert.deepEqual(isRead({ host: 'a' }, 'purged', [[], [0, 5], [1, -1], 'x', 5]), [yes, yes, no, no, no]);
  assert.equal(refused({ host: 'a', facts: { pages: '1' } }), 'facts.pages');
  assert.equal(refused({ host: 'a', facts: { hold: 1 } }), 'facts.hold');
  assert.equal(refused({ host: 'a', facts: { mood: 1 } }), 'facts.mood');
  assert.equal(refused({ host: 'a', facts: null }), null);
});

test('an account has its period and use in whole numbers, and lists hosts and sources', () => {
  for (const field of ['period', 'used'])
    assert.deepEqual(isRead(budget, field, [0, 7, -1, 0.5, undefined]), [yes, yes, no, no, no]);
  for (const field of ['hosts', 'sources']) assert.deepEqual(isRead(budget, field, [[], {}, undefined]), [yes, no, no]);
});

test('links and letters name their host, and have their content', () => {
  const links = [{ hostKey: 'a', links: [] }, { links: [] }, { hostKey: 'a' }, { hostKey: 'a', links: 'x' }, null];
  assert.deepEqual(
    links.map((one) => refused({ links: one })),
    [null, 'links', 'links', 'links', 'links'],
  );
  const deadLetters = [
    { hostKey: 'a', original: '' },
    { original: '' },
    { hostKey: 'a' },
    { hostKey: 'a', original: [] },
  ];
  assert.deepEqual(
    deadLetters.map((deadLetter) => refused({ letter: deadLetter })),
    [null, 'letter', 'letter', 'letter'],
  );
});

test('the first line says that it is a dump, and of what', () => {
  assert.deepEqual(parseDumpHead(JSON.stringify(head)), head);
  assert.deepEqual(parseDumpHead(JSON.stringify({ ...head, version: 1, partitions: 0 })).version, 1);
  const refusal = (change: object) => {
    try {
      parseDumpHead(JSON.stringify({ ...head, ...change }));
      return null;
    } catch (error) {
      const { code, message } = error as { code: string; message: string };
      return [code, /"(\w+)"/.exec(message)?.[1]];
    }
  };
  assert.equal(refusal({ version: 3 })![0], 'UNSUPPORTED');
  for (const dump of ['other', undefined]) assert.deepEqual(refusal({ dump }), ['INVALID_RECORD', 'dump']);
  for (const field of ['id', 'crawl', 'keyMode', 'fingerprintKey'])
    for (const value of ['', 5, undefined]) assert.deepEqual(refusal({ [field]: value }), ['INVALID_RECORD', field]);
  for (const field of ['version', 'partitions', 'seenKeyVersion'])
    for (const value of ['2', -1, undefined]) assert.deepEqual(refusal({ [field]: value }), ['INVALID_RECORD', field]);
  assert.deepEqual(refusal({ seeds: {} }), ['INVALID_RECORD', 'seeds']);
  assert.throws(() => parseDumpHead('x'), { message: /^line 1 of the dump/ });
  assert.throws(() => parseDumpHead('{}'), { message: /^line 1 of the dump/ });
});
