/**
 * Plays the corpora's `behaviour` and `dns_rebinding` cases over sockets, where their folder is present.
 *
 * Each is a sentence, so each has a player of its own here, found by its words; a case without one must be named among
 * those that are played elsewhere, or that need a server which can't be had here.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { createResolver } from '../../services/fetcher/connect/resolver.ts';
import { isBlockedAddress } from '../../topology/fetch/address.ts';
import { createFakeClock } from '../services/fetcher/fake-clock.ts';
import { contentPlayers } from './content-players.ts';
import { corpusFile, corporaSkip as skip } from './corpora.ts';
import { type Player, wirePlayers } from './wire-players.ts';

interface Case {
  readonly id: string;
  readonly kind: string;
  readonly case: string;
  readonly answers: readonly string[];
}

const cases = skip === false ? readFileSync(corpusFile('http-torture.jsonl'), 'utf8').split('\n').filter(Boolean) : [];
const casesOf = (kind: string) => cases.map((line) => JSON.parse(line) as Case).filter((one) => one.kind === kind);

const players: Readonly<Record<string, Player>> = { ...wirePlayers, ...contentPlayers };

const elsewhere: readonly RegExp[] = [
  // test/topology/policy/traps
  /^URL trap: |^calendar trap: /,
  // test/services/fetcher/http/tls.test.ts plays these two.
  /^server as cert\/(wrong\.host|self-signed)$/,
  // Need servers with such certificates and ciphers. What to make of them is OpenSSL's; that a handshake which fails is an
  // outcome, and the next request goes on, is what the two above show.
  /^server as (cert|cipher-suite|key-exchange|protocol)\//,
];

test('every behaviour case is safe', { skip }, async (t) => {
  const found = casesOf('behaviour');
  assert.ok(found.length > 0);
  for (const one of found) {
    if (elsewhere.some((known) => known.test(one.case))) continue;
    const play = players[one.case];
    assert.ok(play !== undefined, `${one.id} has no player: ${one.case}`);
    await t.test(`${one.id}: ${one.case}`, play);
  }
});

test('only public addresses of a resolved name are ever used', { skip }, async () => {
  const found = casesOf('dns_rebinding');
  assert.ok(found.length > 0);
  for (const { id, answers } of found) {
    const clock = createFakeClock();
    let asked = 0;
    const resolver = createResolver({
      clock,
      lookup: async () => ({ addresses: answers[asked++]!.split('|'), ttlMs: 0 }),
      overrides: () => undefined,
      isBlocked: isBlockedAddress,
    });
    for (const answer of answers) {
      const members = answer.split('|').filter((address) => address === '93.184.215.14');
      const resolution = await resolver.resolve('a.test', 80);
      assert.deepEqual(resolution.ok ? resolution.addresses : [], members, id);
      if (!resolution.ok) assert.equal(resolution.kind, 'blockedAddress');
      await clock.advance(24 * 3_600_000);
    }
  }
});
