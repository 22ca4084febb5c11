/**
 * Each check of the suite passes a visitor that keeps its rule and fails one that breaks it, over real sockets. Each
 * forbidden URL and each wanted one counts by itself.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Check, needsNames, type Pace, type SuiteRequest } from '../../../../lab/judge/suite/check/check.ts';
import { suiteCard, verdictOf, visitOf } from '../../../../lab/judge/suite/check/verdict.ts';
import { suiteChecks as allChecks } from '../../../../lab/judge/suite/checks.ts';
import { honestSteps, plantedSteps, visitCheck } from '../../../../lab/judge/suite/planted/planted-visitor.ts';
import { type SuiteServerOptions, startSuite } from '../../../../lab/judge/suite/suite-server.ts';

/** Other systems give out no addresses for hosts and for names. */
const hasAddresses = process.platform === 'linux';
const suiteChecks = allChecks.filter(({ family }) => family !== 'names' || hasAddresses);

const pace: Pace = { delayMs: 250, crawlDelaySeconds: 0.5, retryAfterSeconds: 1, patienceSeconds: 1 };

test('each check has its own id, title and host, and a source', () => {
  const distinct = (of: (check: Check) => string) => new Set(suiteChecks.map(of)).size;
  assert.equal(
    distinct(({ id }) => id),
    suiteChecks.length,
  );
  assert.equal(
    distinct(({ title }) => title.toLowerCase()),
    suiteChecks.length,
  );
  for (const { id, source, slug } of suiteChecks) {
    assert.match(id, /^[a-z]+[0-9]?\/[a-z0-9-]+$/);
    assert.match(source, /^https:\/\/\S+$/, id);
    assert.ok(slug.length <= 61, `${id} fits in a label of a host name`);
  }
});

test('each check passes a visitor that keeps its rule', { timeout: 60_000 }, async () => {
  const card = await visitAll(honestSteps);
  const wrong = card.results.filter(({ verdict }) => verdict.result !== 'pass');
  assert.deepEqual(
    wrong.map(({ check, verdict }) => [check.id, verdict.result === 'pass' ? '' : verdict.why]),
    [],
  );
  assert.equal(card.score, 100);
});

test('each check fails a visitor that breaks its rule', { timeout: 60_000 }, async () => {
  const card = await visitAll(plantedSteps);
  const wrong = card.results.filter(({ verdict }) => verdict.result !== 'fail');
  assert.deepEqual(
    wrong.map(({ check, verdict }) => [check.id, verdict.result]),
    [],
  );
  assert.equal(card.score, 0);
});

test('a visitor that breaks every second rule fails those checks and no other', { timeout: 60_000 }, async () => {
  const broken = new Set(suiteChecks.filter((_, i) => i % 2 === 1));
  const card = await visitAll((check) => (broken.has(check) ? plantedSteps : honestSteps)(check, pace));
  const failed = card.results.filter(({ verdict }) => verdict.result !== 'pass');
  assert.deepEqual(
    failed.map(({ check }) => check.id),
    [...broken].map(({ id }) => id),
  );
});

test('hosts with addresses in their URLs pass and fail the same checks', {
  skip: !hasAddresses,
  timeout: 60_000,
}, async () => {
  const byAddress = { byAddress: true };
  const checks = suiteChecks.filter((check) => !needsNames(check) && check.fault === undefined);
  const broken = new Set(checks.filter((_, i) => i % 2 === 1));
  const card = await visitAll(
    (check) => (broken.has(check) ? plantedSteps : honestSteps)(check, pace),
    checks,
    byAddress,
  );
  assert.ok(checks.length > 350);
  assert.deepEqual(
    card.results.filter(({ verdict }) => verdict.result !== 'pass').map(({ check }) => check.id),
    [...broken].map(({ id }) => id),
  );
});

test('a look-up of a name is no request of a check that is not about names', { skip: !hasAddresses }, async () => {
  const web = await startSuite(suiteChecks, pace, { nameServerPort: 0 });
  try {
    for (const id of ['robots/asked-first', 'names/look-ups']) {
      const check = suiteChecks.find((one) => one.id === id)!;
      await visitCheck(check, web, pace, [{ key: 'b?A' }]);
    }
    const counts = ['robots/asked-first', 'names/look-ups'].map((id) => web.visited().get(id)!.length);
    assert.deepEqual(counts, [0, 1]);
  } finally {
    await web.close();
  }
});

test('each URL that a check forbids fails it, and so does each one that it wants and misses', () => {
  const asked = (key: string): SuiteRequest => ({
    ...{ key, method: 'GET', headers: [], startMs: 0, endMs: 0, status: 200, bytes: 0, connection: 1 },
  });
  for (const check of suiteChecks) {
    const wanted = check.want.map((want) => [want].flat()[0]!);
    const result = (keys: readonly string[]) => verdictOf(check, visitOf(keys.map(asked), pace)).result;
    for (const key of check.never) assert.equal(result([check.control, ...wanted, key]), 'fail', `${check.id} ${key}`);
    for (const key of wanted.filter((one) => one !== check.control))
      assert.equal(result([check.control, ...wanted.filter((one) => one !== key)]), 'fail', `${check.id} ${key}`);
    assert.notEqual(result([]), 'pass', check.id);
  }
});

async function visitAll(
  stepsOf: typeof honestSteps,
  checks: readonly Check[] = suiteChecks,
  options: SuiteServerOptions = hasAddresses ? { nameServerPort: 0 } : {},
) {
  const web = await startSuite(checks, pace, options);
  try {
    const left = [...checks];
    const visit = async () => {
      for (let check = left.shift(); check !== undefined; check = left.shift())
        await visitCheck(check, web, pace, stepsOf(check, pace));
    };
    // Few at a time: a gap that must be short stays so on a busy machine.
    await Promise.all(Array.from({ length: 12 }, visit));
    return suiteCard(checks, web.visited(), pace);
  } finally {
    await web.close();
  }
}
