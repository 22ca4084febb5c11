/** Alerts, run by Prometheus's own code over an hour of series: the right one fires, and no other. */
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { parse, stringify } from 'yaml';
import { minutes, type Scenario, scenarios, wellSeries } from './alert-scenarios.ts';
import { promtool, tested } from './promtool.ts';

const skip = (await promtool.skipReason()) ?? false;
const deploy = join(import.meta.dirname, '../../deploy');

interface Rule {
  readonly alert?: string;
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
    await writeFile(join(folder, 'rules.yaml'), stringify(spec));
    rules = await rulesOf();
  });
  after(() => rm(folder, { recursive: true, force: true }));

  /** What promtool says of a scenario: it is asked for the alerts that fire, without their texts. */
  const outcome = async ({ change, fires }: Pick<Scenario, 'change' | 'fires'>): Promise<string> => {
    const series = wellSeries();
    change(series);
    const names = rules.flatMap(({ alert }) => alert ?? []);
    for (const name of Object.keys(fires)) assert.ok(names.includes(name), name);
    /** `ALERTS` has a series for each alert that fires. */
    const reported = Object.entries(fires).map(([alertname, labels]) => {
      const { severity } = rules.find(({ alert }) => alert === alertname)!.labels!;
      return { alertname, alertstate: 'firing', severity, ...labels };
    });
    const test = {
      rule_files: ['rules.yaml'],
      evaluation_interval: '1m',
      tests: [
        {
          interval: '1m',
          input_series: [...series].map(([name, values]) => ({ series: name, values })),
          promql_expr_test: [
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
          ],
        },
      ],
    };
    await writeFile(join(folder, 'test.yaml'), stringify(test));
    return tested(folder, 'test.yaml');
  };

  for (const scenario of scenarios) {
    it(`the alerts for "${scenario.title}" are: ${Object.keys(scenario.fires).join(', ') || 'none'}`, async () => {
      assert.equal(await outcome(scenario), '');
    });
  }

  it('a scenario with wrong expectations fails', async () => {
    const { change } = scenarios.find(({ title }) => title === 'all fetchers are gone')!;
    assert.match(await outcome({ change, fires: {} }), /CrawlstreamNoFetcher/);
  });

  it('every alert fires in a scenario', () => {
    const fired = new Set(scenarios.flatMap(({ fires }) => Object.keys(fires)));
    const never = rules.filter(({ alert }) => alert !== undefined && !fired.has(alert)).map(({ alert }) => alert);
    assert.deepEqual(never, []);
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
