import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type FleetFigures, fleetFaults, fleetFiguresText, keptOf, noteCall } from './fleet-figures.ts';

const figures: FleetFigures = {
  alone: { rates: [2.97], ranMs: 410, waitedMs: 90 },
  beside: { rates: [1.73], ranMs: 660, waitedMs: 340 },
  rateMax: 3,
  ...{ livezMsMax: 100, livezMs99: 50, livezLate: 0, livezAsked: 100, memoryMibAlone: 200, memoryMib: 900 },
  ...{ faults: [], privateReached: 0, answers: [], endedEarly: null, stopSeconds: 1 },
  honestCalls: { calls: 9, failed: 0, slowestMs: 400, slowest: '/v1/owners', slow: new Map() },
};

test('a rate that the delay of hosts bounds is not taken for more because the process lacked a core', () => {
  const [kept] = keptOf(figures);
  assert.deepEqual([kept!.alone, kept!.beside.toFixed(2)], [3, '2.62']);
  assert.equal(kept!.share.toFixed(2), '0.87');
  assert.equal(kept!.shareByClock.toFixed(2), '0.58');
});

test('each part of a run has its own share of a core, and both rates are printed', () => {
  const text = fleetFiguresText(figures);
  assert.match(text, /honest-0: 2\.62 pages\/s of 3\.00 alone, for a whole core: 87 % \(58 % by the clock\)/);
  assert.match(text, /alone: .* ran 410 ms and waited 90 ms .* 82 % of a core/);
  assert.match(text, /beside: .* ran 660 ms and waited 340 ms .* 66 % of a core/);
});

test('a run fails with an owner that keeps less than four fifths, and with a slow call of an honest owner', () => {
  assert.deepEqual(fleetFaults(figures, 0.8, 2_048), []);
  const poor = { ...figures, beside: { ...figures.beside, rates: [1.4] } };
  assert.match(`${fleetFaults(poor, 0.8, 2_048)}`, /1 honest owners keep less than 80 %/);
  const slow = {
    ...figures,
    honestCalls: { ...figures.honestCalls, slowestMs: 29_448, slowest: '/v1/crawls/a/pages' },
  };
  assert.match(`${fleetFaults(slow, 0.8, 2_048)}`, /\/v1\/crawls\/a\/pages\) took longer than 5 s/);
});

test('slow calls of honest owners are counted by route', () => {
  const honestCalls = { ...figures.honestCalls, slow: new Map() };
  const route = '/v1/crawls/{name}/pages?limit=50';
  for (const tookMs of [400, 1_200, 24_000]) noteCall(honestCalls, '/v1/crawls/a/pages?limit=50', route, tookMs, true);
  noteCall(honestCalls, '/v1/owners', '/v1/owners', 900, false);
  const text = fleetFiguresText({ ...figures, honestCalls });
  assert.match(text, /1 of 13 failed, the slowest \(\/v1\/crawls\/a\/pages\?limit=50\) took 24000 ms/);
  assert.match(text, /GET \/v1\/crawls\/\{name\}\/pages\?limit=50: 2 over 1 s, 1 over 5 s/);
  assert.doesNotMatch(text, /GET \/v1\/owners/);
});
