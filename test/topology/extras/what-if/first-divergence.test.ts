/** The first decision that another policy takes otherwise, and why. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { divergenceOf } from '../../../../topology/extras/what-if/first-divergence.ts';
import { encodeCommit } from '../../../../topology/frontier/changes/changelog.ts';
import type { Change } from '../../../../topology/frontier/changes/changes.ts';
import { writeChange } from '../../../../topology/frontier/changes/codec.ts';
import { zeroCounters } from '../../../../topology/frontier/changes/counters.ts';
import type { Entry } from '../../../../topology/frontier/changes/entry.ts';
import { ByteWriter } from '../../../../topology/frontier/storage/bytes.ts';
import { defaultBudget } from '../../../../topology/policy/budget.ts';
import { compilePolicy, defaultPolicy, type PolicyConfig } from '../../../../topology/policy/policy.ts';
import { defaultScore } from '../../../../topology/policy/score/score-config.ts';
import { everyChange } from '../../frontier/changes/every-change.ts';

const hostKey = 'a.test';
const page = (n: number) => `https://a.test/${n}`;
const entry = (n: number, own: Partial<Entry> = {}): Entry => ({
  ...{ url: page(n), depth: 1, hop: 0, attempts: 0, expiries: 0, frontQueue: 3, ...own },
});
const admit = (...entries: readonly Entry[]): Change =>
  ({
    ...everyChange.admit[0]!,
    hostKey,
    known: false,
    entries: [...entries],
    fingerprints: entries.flatMap(() => [1, 2]),
  }) as Change;
const policy = (own: Partial<PolicyConfig> = {}) => compilePolicy({ ...defaultPolicy(), ...own });
const [grant] = everyChange.grant;
const [release] = everyChange.release;
const [resolve] = everyChange.resolve;

function commitOf(changes: readonly Change[]): Buffer {
  const writer = new ByteWriter(64);
  for (const change of changes) writeChange(writer, change);
  const header = { epoch: 0, seq: 1, nowMs: 5_000, policyVersion: 1, demand: 0, inputs: [] } as const;
  return encodeCommit({ kind: 'commit', ...header, counters: zeroCounters() }, writer.take());
}

function divergence(
  recorded: readonly Change[],
  decided: readonly Change[] | null,
  before: PolicyConfig | Partial<PolicyConfig> | null = null,
  after: Partial<PolicyConfig> | null = null,
) {
  const compiled = (config: Partial<PolicyConfig> | null) => (config === null ? null : policy(config));
  const difference = { offset: 9, recorded: commitOf(recorded), decided: decided === null ? null : commitOf(decided) };
  return divergenceOf(2, difference, compiled(before), compiled(after));
}

const textOf = (...given: Parameters<typeof divergence>) => divergence(...given)?.text;

describe('a decision', () => {
  it('an unchanged decision is not reported', () => {
    assert.equal(divergence([admit(entry(1))], [admit(entry(1))]), null);
    assert.equal(divergence([], []), null);
    assert.equal(divergence([...everyChange.check, admit(entry(1))], [admit(entry(1))]), null);
    assert.equal(divergence([admit(entry(1), entry(2))], [admit(entry(1)), admit(entry(2))]), null, 'one by one');
  });

  it('a changed decision is reported with its place, the first of all', () => {
    assert.deepEqual(divergence([admit(entry(1), entry(2))], [admit(entry(1)), release!, admit(entry(4))]), {
      ...{ partition: 2, offset: 9, atMs: 5_000, kind: 'admission' },
      text: divergence([admit(entry(2))], [release!])!.text,
      recorded: `admit ${page(2)}, depth 1, front queue 3`,
      decided: divergence([admit(entry(2))], [release!])!.decided,
    });
  });

  it('an added or missing decision is reported so', () => {
    const more = divergence([], [admit(entry(1))]);
    assert.equal(more!.text, `additional decision: admit ${page(1)}, depth 1, front queue 3`);
    assert.deepEqual(
      [more!.recorded, more!.decided, more!.kind],
      [null, `admit ${page(1)}, depth 1, front queue 3`, 'admission'],
    );
    for (const decided of [[], null]) {
      const less = divergence([admit(entry(1))], decided);
      assert.equal(less!.text, `missing decision: admit ${page(1)}, depth 1, front queue 3`);
      assert.equal(less!.decided, null);
    }
    const other = divergence([admit(entry(1))], [admit(entry(2))])!.text;
    assert.equal(other, `admit ${page(2)}, depth 1, front queue 3 instead of admit ${page(1)}, depth 1, front queue 3`);
  });

  it('a decision is about a lease, a retry, or something else', () => {
    const kinds = ([grant, everyChange.grantDue[0], resolve, release] as Change[]).map(
      (one) => divergence([one], [])!.kind,
    );
    assert.deepEqual(kinds, ['lease', 'lease', 'retry', 'other']);
  });
});

describe('the reason', () => {
  const [shallow, deep] = [{ maxDepth: 0 }, { maxDepth: 5 }];

  it('the reason is the verdict of the policy that refuses', () => {
    const refused = `${page(1)} is not admitted: refused by depth: 1 > 0`;
    assert.equal(textOf([admit(entry(1))], [], deep, shallow), refused);
    assert.equal(textOf([admit(entry(1))], [admit(entry(2, { depth: 0 }))], deep, shallow), refused);
    const taken = `${page(1)} is admitted: before, it was refused by depth: 1 > 0`;
    assert.equal(textOf([], [admit(entry(1))], shallow, deep), taken);
    assert.equal(textOf([release!], [admit(entry(1))], shallow, deep), taken);
  });

  it('the reason of another front queue is the difference of the policies', () => {
    const of = (before: Partial<PolicyConfig> | null, after: Partial<PolicyConfig> | null) => {
      const text = textOf([admit(entry(1))], [admit(entry(1, { frontQueue: 5 }))], before, after)!;
      const [move, why] = text.split(', not 3: ');
      assert.equal(move, `${page(1)} goes into front queue 5`);
      return why;
    };
    const [scored, budgeted] = [{ score: defaultScore }, { budget: defaultBudget }];
    assert.equal(of({}, scored), 'the new policy scores it');
    assert.equal(of(scored, {}), 'the new policy does not score it');
    assert.equal(of({}, budgeted), 'score or budget');
    assert.equal(of(budgeted, {}), 'score or budget');
    assert.equal(of(scored, scored), 'score');
    assert.equal(of({}, {}), 'depth and spelling, or a trap');
    assert.equal(of(null, null), 'depth and spelling, or a trap');
  });

  it('the reason of a change is the field that differs, and what sets it', () => {
    const lease = grant as Change & { kind: 'grant' };
    assert.equal(
      textOf([lease], [{ ...lease, delayMs: lease.delayMs + 1 }]),
      `grant of ${lease.hostKey}: delayMs is ${lease.delayMs + 1}, before ${lease.delayMs} (set by delayMs)`,
    );
    const id = lease.leaseId;
    assert.equal(
      textOf([lease], [{ ...lease, leaseId: id + 1 }]),
      `grant of ${lease.hostKey}: leaseId is ${id + 1}, before ${id}`,
    );
    assert.equal(textOf([lease], [{ ...lease, hostKey: 'z.test' }]), `grant: z.test instead of ${lease.hostKey}`);
    const [price] = everyChange.price as readonly (Change & { kind: 'price' })[];
    assert.match(textOf([price!], [{ ...price!, atMs: 7 }])!, /^price: atMs is 7, before 72/, 'it names no host key');
    assert.match(textOf([price!], [everyChange.quota[0]!])!, /^quota \{.*\} instead of price \{/);
  });
});
