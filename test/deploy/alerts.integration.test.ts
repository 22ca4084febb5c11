/** Alerts, run by Prometheus's own code over an hour of series: the right one fires, and no other. */
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { parse } from 'yaml';
import { metrics } from '../../services/runtime/metrics/metrics.ts';
import {
  countedAlerts,
  minutes,
  restarted,
  type Scenario,
  scenarios,
  shapes,
  wellSeries,
  withSeries,
} from './alert-scenarios.ts';
import { taken, timelinesOf } from './alert-timelines.ts';
import { promtool, tested } from './promtool.ts';

const skip = (await promtool.skipReason()) ?? false;
const deploy = join(import.meta.dirname, '../../deploy');

/** Of counters that should never grow: no other rule is about the series of their tests. */
const countingRules = 'counting-rules.yaml';

interface Rule {
  readonly alert?: string;
  readonly for?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

async function rulesOf(): Promise<readonly Rule[]> {
  const { spec } = parse(await readFile(join(deploy, 'monitoring/alerts.yaml'), 'utf8'));
  return spec.groups[0].rules;
}

describe('alerts over recorded series', { skip, timeout: 600_000 }, () => {
  let folder: string;
  let rules: readonly Rule[];

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'crawlstream-alerts-'));
    const { spec } = parse(await readFile(join(deploy, 'monitoring/alerts.yaml'), 'utf8'));
    await writeFile(join(folder, 'rules.yaml'), JSON.stringify(spec));
    rules = await rulesOf();
    const counting = rules.filter(({ alert }) => alert === undefined || alert in countedAlerts);
    await writeFile(join(folder, countingRules), JSON.stringify({ groups: [{ name: 'counting', rules: counting }] }));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  /** A scenario as a test of promtool: it is asked for the alerts that fire, without their texts. */
  const testOf = ({ title, change, fires }: Scenario) => {
    const series = wellSeries();
    change(series);
    const names = rules.flatMap(({ alert }) => alert ?? []);
    for (const name of Object.keys(fires)) assert.ok(names.includes(name), name);
    /** `ALERTS` has a series for each alert that fires. */
    const reported = Object.entries(fires).map(([alertname, labels]) => {
      const { severity } = rules.find(({ alert }) => alert === alertname)!.labels!;
      return { alertname, alertstate: 'firing', severity, ...labels };
    });
    const promql = [
      {
        expr: 'count by (alertname) (ALERTS{alertstate="firing"})',
        eval_time: `${minutes}m`,
        exp_samples: reported.map(({ alertname }) => ({ labels: `{alertname="${alertname}"}`, value: 1 })),
      },
      ...reported.map((labels) => ({
        expr: `count(ALERTS{${Object.entries(labels)
          .map(([label, value]) => `${label}="${value}"`)
          .join(',')}})`,
        eval_time: `${minutes}m`,
        exp_samples: [{ labels: '{}', value: 1 }],
      })),
    ];
    return { name: title, series, promql };
  };

  interface RuleTest {
    readonly name: string;
    readonly series: ReadonlyMap<string, string>;
    readonly promql: readonly object[];
    /** Absent: all rules. */
    readonly rulesFile?: string;
  }

  interface Timeline {
    readonly name: string;
    readonly series: ReadonlyMap<string, string>;
    /** Alerts that fire, by minute. */
    readonly fires: Readonly<Record<number, readonly string[]>>;
  }

  /** What promtool finds wrong in any of them: one process runs all, and names the file of each. */
  const wrongIn = async (tests: readonly RuleTest[]) => {
    const files = tests.map(async ({ name, series, promql, rulesFile = 'rules.yaml' }) => {
      const file = `${name.replaceAll(/[^a-zA-Z0-9]+/g, '-')}.yaml`;
      const input = [...series].map(([one, values]) => ({ series: one, values }));
      const test = { interval: '1m', input_series: input, promql_expr_test: promql };
      // Also YAML, and written in a twentieth of the time.
      const text = JSON.stringify({ rule_files: [rulesFile], evaluation_interval: '1m', tests: [test] });
      await writeFile(join(folder, file), text);
      return file;
    });
    const written = await Promise.all(files);
    assert.equal(new Set(written).size, tests.length, 'two tests have one name');
    return tested(folder, ...written);
  };
  const wrongTimelines = (timelines: readonly Timeline[], rulesFile?: string) =>
    wrongIn(
      timelines.map(({ fires, ...rest }) => ({
        ...rest,
        ...(rulesFile !== undefined && { rulesFile }),
        promql: Object.entries(fires).map(([minute, names]) => ({
          expr: 'count by (alertname) (ALERTS{alertstate="firing"})',
          eval_time: `${minute}m`,
          exp_samples: names.map((alertname) => ({ labels: `{alertname="${alertname}"}`, value: 1 })),
        })),
      })),
    );

  it('each scenario fires its alerts, by their labels, and no other', async () => {
    assert.equal(await wrongIn(scenarios.map(testOf)), '');
  });

  const none = Object.fromEntries([5, 20, 29, 30, 31, 32, 33, 36, 40, 50, 60].map((minute) => [minute, []]));
  /** The series alone, and one that says that something is scraped. */
  const alone = (series: ReadonlyMap<string, string>, pattern: RegExp) =>
    new Map(
      [...series].filter(
        ([name]) => name.startsWith('crawlstream_info') || (pattern.test(name) && name.includes('"news"')),
      ),
    );

  it('no alert fires in an hour of silence, nor when every process restarts once, as in a roll-out', async () => {
    const series = new Map([...wellSeries()].map(([name, value]) => [name, restarted(value)]));
    for (const name of series.keys())
      if (name.startsWith('process_start_time')) series.set(name, '1700000000x28 _x2 1700001800x28');
    const timelines = [
      { name: 'silence', series: wellSeries(), fires: none },
      { name: 'restart', series, fires: none },
    ];
    assert.equal(await wrongTimelines(timelines), '');
  });

  it('alerts of what should never happen fire within six minutes, and for half an hour, however many events there are', async () => {
    const timelines = Object.entries(countedAlerts).flatMap(([alert, pattern]) =>
      Object.entries(shapes).map(([shape, values]) => ({
        name: `${alert}, ${shape}`,
        series: alone(withSeries(pattern, values), pattern),
        fires: { 20: [], 29: [], 36: [alert], 45: [alert], 60: [alert] },
      })),
    );
    assert.equal(await wrongTimelines(timelines, countingRules), '');
  });

  it('alerts of what should never happen do not fire for what was counted hours before a restart, or before a partition moved', async () => {
    const timelines = Object.entries(countedAlerts).flatMap(([alert, pattern]) => {
      const [[name]] = [...alone(wellSeries(), pattern)].filter(([one]) => pattern.test(one)) as [[string, string]];
      const fires = { 110: [], 122: [], 130: [], 150: [] };
      const info = ['crawlstream_info{crawl="news"}', '1x150'] as const;
      const restart = { name: `${alert}, restart`, series: new Map([info, [name, '0 7x118 _x2 0x30']]), fires };
      if (!name.includes('partition=')) return [restart];
      const elsewhere = name.replaceAll(/frontier-\d/g, 'frontier-9');
      const moved = new Map([info, [name, '0 7x118'], [elsewhere, '_x121 7x30']] as const);
      return [restart, { name: `${alert}, moved`, series: moved, fires }];
    });
    assert.equal(await wrongTimelines(timelines, countingRules), '');
  });

  it('each alert fires or is silent for a burst, a trickle and a cause that comes and goes, fires again after a restart, and ends with its cause', async () => {
    const alerts = rules.filter(({ alert }) => alert !== undefined);
    assert.deepEqual(
      alerts.map(({ alert }) => alert).sort(),
      Object.keys(taken).sort(),
      'say how each alert takes them',
    );
    const recordings = rules.filter(({ alert }) => alert === undefined);
    const tests = alerts.map(async (rule) => {
      const scenario = scenarios.find(({ fires }) => rule.alert! in fires)!;
      const forMinutes = Number(/^(\d+)m$/.exec(rule.for ?? '0m')![1]);
      const rulesFile = `${rule.alert}-rules.yaml`;
      const group = { name: 'one', rules: [...recordings, rule] };
      await writeFile(join(folder, rulesFile), JSON.stringify({ groups: [group] }));
      return timelinesOf(scenario, taken[rule.alert!]!, forMinutes).map(({ name, series, fires }) => ({
        name: `${rule.alert} ${name}`,
        series,
        rulesFile,
        promql: Object.entries(fires).map(([minute, isFiring]) => ({
          expr: `count(ALERTS{alertname="${rule.alert}",alertstate="firing"}) > bool 0`,
          eval_time: `${minute}m`,
          exp_samples: isFiring ? [{ labels: '{}', value: 1 }] : [],
        })),
      }));
    });
    assert.equal(await wrongIn((await Promise.all(tests)).flat()), '');
  });

  it('a scenario with wrong expectations fails, by its name', async () => {
    const right = scenarios.find(({ title }) => title === 'all fetchers are gone')!;
    const wrong = await wrongIn([right, { ...right, title: 'nobody is missed', fires: {} }].map(testOf));
    assert.match(wrong, /nobody-is-missed\.yaml\s+FAILED[\s\S]*CrawlstreamNoFetcher/);
    assert.match(wrong, /all-fetchers-are-gone\.yaml\s+SUCCESS/);
  });

  it('every alert fires in a scenario', () => {
    const fired = new Set(scenarios.flatMap(({ fires }) => Object.keys(fires)));
    const never = rules.filter(({ alert }) => alert !== undefined && !fired.has(alert)).map(({ alert }) => alert);
    assert.deepEqual(never, []);
  });
});

describe('metrics', () => {
  it('each metric is in an alert, on the board, or on the list of unwatched ones with its reason, and on one of them alone', async () => {
    const text = async (name: string) => readFile(join(deploy, 'monitoring', name), 'utf8');
    const watched = `${await text('alerts.yaml')}${await text('board.json')}`;
    const unwatched = parse(await text('unwatched.yaml')) as Record<string, string>;
    const isWatched = (name: string) => new RegExp(`\\b${name}(_bucket|_sum|_count)?\\b`).test(watched);
    const names = Object.keys(metrics);
    assert.deepEqual(
      names.filter((name) => !isWatched(name) && !(name in unwatched)),
      [],
      'watch it, or say why not',
    );
    assert.deepEqual(
      Object.keys(unwatched).filter((name) => isWatched(name) || !names.includes(name)),
      [],
      'take it off the list',
    );
    for (const [name, reason] of Object.entries(unwatched)) assert.ok(reason.length > 10, name);
  });
});

describe('the alerts and the runbook', () => {
  it('the alerts and the runbook match: each alert is named in its chapter, which has commands, and no other is named', async () => {
    const runbook = await readFile(join(deploy, 'RUNBOOK.md'), 'utf8');
    const chapters = new Map(
      runbook
        .split(/^## /m)
        .slice(1)
        .map((text) => [text.split('\n')[0]!.toLowerCase().replaceAll(' ', '-'), text]),
    );
    const rules = (await rulesOf()).filter(({ alert }) => alert !== undefined);
    const led: string[] = [];
    for (const { alert, annotations } of rules) {
      const url = new URL(annotations!['runbook_url']!);
      assert.match(url.pathname, /\/deploy\/RUNBOOK\.md$/);
      const chapter = chapters.get(url.hash.slice(1));
      assert.ok(chapter?.includes(`\`${alert}\``), `${alert}: ${url.hash} does not name it`);
      assert.match(chapter!, /```sh\n(crawlstream|curl|kubectl) /, `${alert}: ${url.hash} has no command`);
      led.push(`${url.hash.slice(1)} ${alert}`);
    }
    const named = [...chapters].flatMap(([chapter, text]) =>
      [...text.matchAll(/`(Crawlstream[A-Z]\w+)`/g)].map(([, alert]) => `${chapter} ${alert}`),
    );
    assert.deepEqual(named.sort(), led.sort());
  });
});
