/**
 * What Prometheus would have of some processes, scraped on a fixed beat while something is wrong, and what the alerts'
 * rules say of it, run by Prometheus's own code.
 *
 * A beat of the test stands for a minute, so that an alert which waits ten minutes is there in ten beats. What processes
 * tell in seconds (lags, ages) passes at its true pace: alerts on those are tested over drawn series (test/deploy/).
 */
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { tested } from '../deploy/promtool.ts';

/** Prometheus gives up after ten times as long. */
const deadlineMs = 1_000;
/** An answer that waits for what is away is late every time; one that waits for a processor is not. */
const tries = 10;
/** One may be late for want of a processor: the next is begun when it is due, or as soon as the one before has ended. ms */
export const beatMs = 1_000;

/** Series by name and labels, in promtool's notation of each beat's value. */
type Series = Map<string, string[]>;

export class Scrapes {
  /** Processes by the names of their pods, and where each listens; one that is removed is gone as a pod is that was deleted. */
  readonly targets = new Map<string, string>();
  readonly #series: Series = new Map();
  #beats = 0;
  #nextMs = 0;

  /** Beats so far. */
  get beats(): number {
    return this.#beats;
  }

  /** Waits for the next beat, and asks every process at once; each must answer within a second, whatever is away. */
  async beat(): Promise<void> {
    const now = performance.now();
    this.#nextMs = Math.max(now, this.#nextMs + beatMs);
    await new Promise((resolve) => setTimeout(resolve, this.#nextMs - now));
    const reported = await Promise.all([...this.targets].map(async ([pod, url]) => seriesOf(pod, await scraped(url))));
    const values = new Map(reported.flat());
    for (const [name, value] of values) {
      let one = this.#series.get(name);
      if (one === undefined) this.#series.set(name, (one = Array(this.#beats).fill('_')));
      one.push(value);
    }
    for (const [name, one] of this.#series) {
      if (values.has(name)) continue;
      // As a server marks what it finds no more.
      one.push(one.at(-1) === '_' || one.at(-1) === 'stale' ? '_' : 'stale');
    }
    this.#beats += 1;
  }

  /** What was scraped until now is not of the record. */
  forget(): void {
    this.#series.clear();
    this.#beats = 0;
  }

  async beatFor(count: number): Promise<void> {
    for (let one = 0; one < count; one++) await this.beat();
  }

  /** A value of the last beat; undefined: it was not told. */
  last(pod: string, metric: string, labels: Readonly<Record<string, string>> = {}): number | undefined {
    for (const [name, values] of this.#series) {
      if (!name.startsWith(`${metric}{`) || !name.includes(`pod="${pod}"`)) continue;
      if (!Object.entries(labels).every(([label, value]) => name.includes(`${label}="${value}"`))) continue;
      const value = values.at(-1)!;
      if (value !== '_' && value !== 'stale') return Number(value);
    }
    return undefined;
  }

  /**
   * What is wrong, in promtool's words, with: `alert` is there at the beat `at`, when somebody mends what is wrong, none
   * but it was there at any beat until then, and none is there at the last. Empty: nothing. In between it is not looked
   * at: processes that start within seconds would have taken minutes.
   */
  async verdict(folder: string, alert: string, at: number): Promise<string> {
    const { spec } = parse(await readFile(join(import.meta.dirname, '../../deploy/monitoring/alerts.yaml'), 'utf8'));
    await writeFile(join(folder, 'rules.yaml'), stringify(spec));
    const end = this.#beats - 1;
    const test = {
      rule_files: ['rules.yaml'],
      evaluation_interval: '1m',
      tests: [
        {
          interval: '1m',
          input_series: [...this.#series].map(([series, values]) => ({ series, values: values.join(' ') })),
          promql_expr_test: [
            {
              expr: 'count by (alertname) (ALERTS{alertstate="firing"})',
              eval_time: `${at}m`,
              exp_samples: [{ labels: `{alertname="${alert}"}`, value: 1 }],
            },
            {
              expr: `group by (alertname) (count_over_time(ALERTS{alertstate="firing"}[${at + 1}m]))`,
              eval_time: `${at}m`,
              exp_samples: [{ labels: `{alertname="${alert}"}`, value: 1 }],
            },
            { expr: 'ALERTS{alertstate="firing"}', eval_time: `${end}m`, exp_samples: [] },
          ],
        },
      ],
    };
    await writeFile(join(folder, 'test.yaml'), stringify(test));
    return tested(folder, 'test.yaml');
  }
}

async function scraped(url: string): Promise<string> {
  for (let one = 1; ; one++) {
    try {
      const response = await fetch(`${url}/metrics`, { signal: AbortSignal.timeout(deadlineMs) });
      const text = await response.text();
      assert.equal(response.status, 200, text);
      return text;
    } catch (error) {
      if ((error as Error).name !== 'TimeoutError') throw error;
      assert.ok(one < tries, `${url}/metrics does not answer within ${deadlineMs} ms, ${tries} times in a row`);
    }
  }
}

/** With the labels that a server adds. Series of Node's own are left out. */
function seriesOf(pod: string, text: string): [string, string][] {
  const of = `pod="${pod}",instance="${pod}:9464",job="crawlstream-metrics"`;
  const lines = text.split('\n').filter((line) => /^(crawlstream_|process_resident_memory_bytes)/.test(line));
  const reported = lines.map((line): [string, string] => {
    const [, name, labels = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line)!;
    return [`${name}{${labels === '' ? '' : `${labels},`}${of}}`, value!];
  });
  return [[`up{${of}}`, '1'], ...reported];
}
