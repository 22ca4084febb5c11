import assert from 'node:assert/strict';
import { it } from 'node:test';
import { blankOutcome } from '../../../../schemas/blank.ts';
import type { Outcome } from '../../../../schemas/types.ts';
import { tlsLines } from '../../../../services/cli/crawl/tls-lines.ts';
import { whyFew } from '../../../../services/cli/crawl/why-few.ts';
import { createFailureLedger } from '../../../../services/hosting/crawl/failure-ledger.ts';
import { blankCounts } from '../../cli/crawl/blank-counts.ts';

const seed = 'https://a.test/';
const outcome = (kind: Outcome['kind'], more: Partial<Outcome> = {}): Outcome => ({
  ...blankOutcome,
  url: seed,
  kind,
  ...more,
});

it('a failing seed is reported at once, with its cause and remedy, and once', () => {
  const rows: readonly (readonly [Outcome, RegExp])[] = [
    [outcome('dnsFailed'), /the host name was not found; check the spelling$/],
    [outcome('blockedAddress'), /private; add --allow-private to crawl private addresses$/],
    [outcome('robotsDenied'), /robots\.txt disallows it; .* check robots https:\/\/a\.test\/ shows the rule$/],
    [
      outcome('connectionFailed', { detail: 'connect ECONNREFUSED' }),
      /no connection \(connect ECONNREFUSED\); check that the server runs/,
    ],
    [
      outcome('robotsUnreachable', { detail: 'robots.txt: none.test has no address' }),
      /; check the spelling of the name$/,
    ],
    [outcome('tlsFailed', { detail: 'wrong version number' }), /may speak plain HTTP: try http:\/\/a\.test\/$/],
    [outcome('tlsFailed', { detail: 'unable to verify the first certificate' }), /--ca FILE to trust the authority/],
    [outcome('serverError', { status: 503 }), /the server answered 503$/],
  ];
  for (const [failed, expected] of rows) {
    const said: string[] = [];
    const ledger = createFailureLedger([seed], (text) => said.push(text));
    ledger.note(failed, null);
    ledger.note(failed, null);
    ledger.note({ ...failed, url: `${seed}other` }, null);
    assert.equal(said.length, 1, failed.kind);
    assert.match(said[0]!, expected);
    assert.equal(ledger.lines().length, 1);
    assert.match(ledger.lines()[0]!, new RegExp(`^${failed.kind} +3 +https://a.test/: `));
  }
});

it('non-failures are not reported, and kinds are sorted by frequency', () => {
  const said: string[] = [];
  const ledger = createFailureLedger([seed], (text) => said.push(text));
  for (const kind of ['fetched', 'notModified', 'redirect', 'returned'] as const) ledger.note(outcome(kind), null);
  ledger.note(outcome('gone', { url: `${seed}1`, status: 404 }), null);
  for (let n = 0; n < 2; n++) ledger.note(outcome('timeout', { url: `${seed}${n}` }), null);
  assert.deepEqual(said, []);
  assert.deepEqual(
    ledger.lines().map((line) => line.split(' ', 1)[0]),
    ['timeout', 'gone'],
  );
});

it('a crawl that ends with at most one page says why, and one with more says nothing', () => {
  const ledger = createFailureLedger([seed], () => undefined);
  ledger.note(outcome('fetched'), { nofollow: true });
  const few = (counts: object) =>
    whyFew({ ...blankCounts, pages: 1, ...counts }, { nofollow: [] }, '--data d').join('\n');
  assert.match(
    whyFew({ ...blankCounts, pages: 1 }, ledger, '--data d').join('\n'),
    /https:\/\/a\.test\/ forbids following its links/,
  );
  assert.match(few({ denied: 3 }), /robots\.txt disallows 3 URLs/);
  assert.match(few({ outOfScope: 1_200 }), /links out of scope: 1,200; set the scope/);
  assert.match(few({ filtered: 1 }), /links --dropped/);
  assert.match(few({ tooDeep: 1 }), /--max-depth/);
  assert.match(few({}), /no links to follow/);
  assert.equal(few({ pages: 2, denied: 3 }), '');
});

it('hosts that fail by TLS are reported with the reason, until they answer', () => {
  const ledger = createFailureLedger([], () => {});
  const robots = 'robots.txt: connecting to 10.0.0.1 port 443: TLS: self-signed certificate';
  ledger.note(outcome('robotsUnreachable', { detail: robots }), null);
  ledger.note(outcome('robotsUnreachable', { url: 'https://b.test/', detail: 'robots.txt: status 503' }), null);
  ledger.note(outcome('tlsFailed', { url: 'https://c.test/', detail: 'TLS: wrong version number' }), null);
  assert.deepEqual([...ledger.tlsHosts.keys()], ['a.test', 'c.test']);
  const [why, back] = tlsLines(ledger.tlsHosts, '--data d', 'crawl --data d');
  assert.equal(why, `TLS errors prevent requests to a.test c.test: ${robots}`);
  assert.match(back!, /crawl --data d with --ca FILE, or --insecure a\.test$/);
  assert.match(
    tlsLines(ledger.tlsHosts, '--brokers b', null)[1]!,
    /requeue --host a\.test --outcome dead --brokers b$/,
  );
  ledger.note(outcome('fetched', { status: 200 }), null);
  ledger.note(outcome('gone', { url: 'https://c.test/', status: 404 }), null);
  assert.deepEqual(tlsLines(ledger.tlsHosts, '--data d', null), []);
});

it('responses of unsupported types are no failures: they are reported by type', () => {
  const said: string[] = [];
  const ledger = createFailureLedger([seed], (text) => said.push(text));
  const zip = outcome('refused', { status: 200, detail: 'type application/zip is not read' });
  ledger.note(zip, null);
  ledger.note({ ...zip, url: `${seed}2.zip` }, null);
  ledger.note(outcome('refused', { url: `${seed}a.png`, status: 200, detail: 'type image/png is not read' }), null);
  assert.deepEqual(ledger.lines(), []);
  assert.equal(ledger.notRead(), '2 application/zip, 1 image/png');
  assert.deepEqual(said, [`${seed}: skipped: not a supported content type 200 (type application/zip is not read)`]);
  ledger.note(outcome('refused', { url: 'http://a.test:1/', detail: 'port 1 is not for the web' }), null);
  assert.equal(ledger.lines().length, 1);
  assert.equal(createFailureLedger([], () => {}).notRead(), null);
});
