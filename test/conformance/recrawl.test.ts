/** The corpora's recrawl cases, where their folder is present: Nutch's and StormCrawler's own tests of their schedules. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { adaptivePresets, adaptiveVisit } from '../../topology/policy/recrawl/adaptive.ts';
import { noHistory, type PageHistory, visited } from '../../topology/policy/recrawl/history.ts';
import { defaultRecrawl, type RecrawlRule } from '../../topology/policy/recrawl/recrawl-config.ts';
import { compileRecrawl } from '../../topology/policy/recrawl/schedule.ts';
import { corpusFile, corporaSkip as skip } from './corpora.ts';

interface Case {
  readonly id: string;
  readonly kind: string;
  // biome-ignore lint/suspicious/noExplicitAny: each kind has a shape of its own
  readonly [field: string]: any;
}

const minute = 60_000;

function nutch({ inc_rate, dec_rate, sync_delta, ...given }: Case['config']) {
  return {
    ...adaptivePresets.nutch,
    unchanged: 1 + inc_rate,
    changed: 1 - dec_rate,
    syncShare: sync_delta ? (given.sync_delta_rate ?? adaptivePresets.nutch.syncShare) : null,
    firstS: given.default_interval_s ?? adaptivePresets.nutch.firstS,
    minS: given.min_interval_s ?? adaptivePresets.nutch.minS,
    maxS: given.max_interval_s ?? adaptivePresets.nutch.maxS,
  };
}

const players: Record<string, (one: Case) => void> = {
  adaptive_step({ config, input, expected }) {
    const history = { ...noHistory, intervalS: input.interval_s };
    const changed = input.outcome === 'modified';
    const since = input.fetch_time_s - input.modified_time_s;
    assert.equal(adaptiveVisit(nutch(config), history, changed, since).intervalS, expected.interval_s);
  },
  adaptive_range({ config, input, expected }) {
    const history = visited(noHistory, input.previous_fetch_s_ago, false);
    const { delayS } = adaptiveVisit(nutch(config), history, input.outcome === 'modified', input.modified_s_ago);
    assert.ok(delayS >= expected.next_delay_min_s && delayS <= expected.next_delay_max_s, `${delayS}`);
  },
  adaptive_sequence({ config, steps }) {
    const bounds = { firstS: 60 * config.default, minS: 60 * config.min, maxS: 60 * config.max };
    let history: PageHistory = noHistory;
    for (const { status, signature, old_signature: old, expect } of steps) {
      const before = history.intervalS;
      const changed = old === null ? null : status !== 304 && signature !== old;
      if (changed !== null) history = visited(history, before, changed);
      const { intervalS } = adaptiveVisit({ ...adaptivePresets.stormcrawler, ...bounds }, history, changed, 0);
      history = { ...history, intervalS };
      if (expect.interval !== undefined) assert.equal(intervalS, 60 * expect.interval);
      if (expect.interval_gt !== undefined) assert.ok(intervalS > before || intervalS === 60 * config.max);
      if (expect.interval_lt !== undefined) assert.ok(intervalS < before || intervalS === 60 * config.min);
    }
  },
  /** What StormCrawler keeps as metadata of a URL is a part of the URL here, and its keys are rules. */
  interval_by_metadata({ config_minutes: config, metadata, status, expected }) {
    const time = (minutes: number) => (minutes < 0 ? null : minutes * minute);
    const rules = Object.entries<number>(config).flatMap(([key, minutes]): RecrawlRule[] => {
      const condition = /^(?:FETCHED\.)?(\w+=\w+)$/.exec(key)?.[1];
      if (condition === undefined) return [];
      const kinds = key.startsWith('FETCHED.') ? { kinds: ['page'] as const } : {};
      return [{ url: `[?&]${condition}(?:&|$)`, intervalMs: time(minutes), ...kinds }];
    });
    const errorMs = config.error === undefined ? defaultRecrawl.errorMs : time(config.error);
    const recrawl = compileRecrawl({ ...defaultRecrawl, schedule: 'fixed', errorMs, rules });
    const visit = {
      url: `https://a.test/?${new URLSearchParams(metadata)}`,
      kind: status === 'FETCHED' ? 'page' : 'error',
      history: noHistory,
      changed: null,
      sinceChangeS: 0,
      frontQueue: 0,
    } as const;
    const next = recrawl.next(visit, 0);
    assert.equal(next === null ? 'never' : next.delayS / 60, expected.minutes);
  },
};

test('Nutch and StormCrawler presets behave as those projects document', { skip }, () => {
  const played = new Map<string, number>();
  for (const line of readFileSync(corpusFile('recrawl.jsonl'), 'utf8').trim().split('\n')) {
    const one = JSON.parse(line) as Case;
    const play = players[one.kind];
    if (play === undefined) continue;
    try {
      play(one);
    } catch (error) {
      throw new Error(`${one.id}: ${(error as Error).message}`, { cause: error });
    }
    played.set(one.kind, (played.get(one.kind) ?? 0) + 1);
  }
  assert.deepEqual([...played.keys()].sort(), Object.keys(players).sort());
});
