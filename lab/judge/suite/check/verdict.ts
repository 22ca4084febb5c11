/** Verdicts and scores of a visit. Pure: requests in, card out. */
import {
  type Check,
  type Family,
  families,
  type Pace,
  queryMethod,
  type SuiteRequest,
  type Verdict,
  type Visit,
} from './check.ts';

/** Requests shown with a failure. */
const shownMax = 12;

export interface CheckResult {
  readonly check: Check;
  readonly verdict: Verdict;
  /** True if it counts in the score: a check that was not reached counts only if reaching is its subject. */
  readonly counts: boolean;
}

export interface FamilyScore {
  readonly family: Family;
  readonly name: string;
  readonly passed: number;
  readonly failed: number;
  readonly notReached: number;
  /** Weight of the passed checks, in percent of all that count. null: none counts. */
  readonly score: number | null;
}

export interface SuiteCard {
  readonly agents: readonly string[];
  readonly requests: number;
  readonly seconds: number;
  readonly pace: Pace;
  readonly score: number;
  readonly passed: number;
  readonly failed: number;
  readonly notReached: number;
  readonly families: readonly FamilyScore[];
  readonly results: readonly CheckResult[];
}

export function verdictOf(check: Check, visit: Visit): Verdict {
  const broken = check.never.flatMap((key) => visit.asked(key));
  if (broken.length > 0)
    return { result: 'fail', why: `It asked for ${broken[0]!.key}.`, requests: broken.slice(0, shownMax) };
  if (visit.asked(check.control).length === 0)
    return { result: 'not reached', why: `It never asked for ${check.control}.` };
  const missing = check.want.filter((want) => [want].flat().every((key) => visit.asked(key).length === 0));
  if (missing.length > 0) {
    const names = missing.map((want) => [want].flat().join(' or ')).join(', ');
    return { result: 'fail', why: `It never asked for ${names}.`, requests: visit.requests.slice(0, shownMax) };
  }
  const fault = check.fault?.(visit);
  if (fault !== undefined) return { result: 'fail', why: fault.why, requests: fault.requests.slice(0, shownMax) };
  return { result: 'pass' };
}

export function visitOf(requests: readonly SuiteRequest[], pace: Pace): Visit {
  return { requests, pace, asked: (key) => requests.filter((request) => request.key === key) };
}

/** `visited`: the requests of each check, by its id. */
export function suiteCard(
  checks: readonly Check[],
  visited: ReadonlyMap<string, readonly SuiteRequest[]>,
  pace: Pace,
): SuiteCard {
  const results = checks.map((check): CheckResult => {
    const verdict = verdictOf(check, visitOf(visited.get(check.id) ?? [], pace));
    return { check, verdict, counts: verdict.result !== 'not reached' || check.want.length > 0 };
  });
  const all = [...visited.values()].flat().filter(({ method }) => method !== queryMethod);
  const ended = all.map(({ endMs }) => endMs).filter(Number.isFinite);
  return {
    agents: agentsOf(all),
    requests: all.length,
    seconds: Math.round(ended.reduce((most, ms) => Math.max(most, ms), 0) / 100) / 10,
    pace,
    score: scoreOf(results) ?? 0,
    ...countsOf(results),
    families: (Object.keys(families) as Family[]).flatMap((family) => {
      const own = results.filter(({ check }) => check.family === family);
      if (own.length === 0) return [];
      return [{ family, name: families[family], ...countsOf(own), score: scoreOf(own) }];
    }),
    results,
  };
}

function countsOf(results: readonly CheckResult[]): { passed: number; failed: number; notReached: number } {
  const count = (result: Verdict['result']) => results.filter(({ verdict }) => verdict.result === result).length;
  return { passed: count('pass'), failed: count('fail'), notReached: count('not reached') };
}

function scoreOf(results: readonly CheckResult[]): number | null {
  let [passed, all] = [0, 0];
  for (const { check, verdict, counts } of results) {
    if (!counts) continue;
    all += check.weight;
    if (verdict.result === 'pass') passed += check.weight;
  }
  return all === 0 ? null : Math.round((1000 * passed) / all) / 10;
}

function agentsOf(requests: readonly SuiteRequest[]): readonly string[] {
  const agents = new Set(requests.map((request) => headerOf(request, 'user-agent') ?? '(none)'));
  return [...agents].slice(0, 5);
}

/** Value of the first header of a name; undefined if the request had none. */
export function headerOf({ headers }: SuiteRequest, name: string): string | undefined {
  for (let i = 0; i < headers.length; i += 2) if (headers[i]!.toLowerCase() === name) return headers[i + 1];
  return undefined;
}
