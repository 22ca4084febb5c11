/** How URLs that are admitted are gathered into changes. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Entry } from '../../../../../topology/frontier/changes/entry.ts';
import { Admission } from '../../../../../topology/frontier/decide/links/admission.ts';
import { defaultBudget } from '../../../../../topology/policy/budget.ts';
import { defaultPolicy, type PolicyConfig } from '../../../../../topology/policy/policy.ts';
import { Deciding, entryAt, urlAt } from '../deciding.ts';

const config = (more: Partial<PolicyConfig> = {}) => ({ ...defaultPolicy(), ...more });

/** What is written down where these are added in turn, and how much was gathered before it was. */
function gathered(
  added: readonly (readonly [hostKey: string, known: boolean, entry: Entry, hi: number, lo: number])[],
  more: Partial<PolicyConfig> = {},
  look: (admission: Admission) => void = () => {},
) {
  const deciding = new Deciding(more);
  const said = deciding.decide((decision) => {
    const admission = new Admission(decision, config(more));
    for (const [hostKey, known, entry, hi, lo] of added) admission.add(hostKey, known, entry, hi, lo);
    look(admission);
    admission.flush();
    admission.flush();
  });
  // A new host has a change of its own: since when it is ready.
  const reported = said.changes.filter(({ kind }) => kind !== 'host');
  return reported.map((change) =>
    change.kind === 'admit'
      ? [change.hostKey, change.known, ...change.entries.map(({ url }) => url.slice(-1))]
      : change.kind,
  );
}

describe('admitted URLs', () => {
  it('admitted URLs are one change while they are of one host, and new or known alike', () => {
    const changes = gathered([
      ['a.test', false, entryAt(0), 1, 0],
      ['a.test', false, entryAt(1), 1, 1],
      ['a.test', true, entryAt(2), 1, 2],
      ['b.test', true, entryAt(3), 1, 3],
      ['b.test', false, entryAt(4), 1, 4],
    ]);
    assert.deepEqual(changes, [
      ['a.test', false, '0', '1'],
      ['a.test', true, '2'],
      ['b.test', true, '3'],
      ['b.test', false, '4'],
    ]);
    assert.deepEqual(gathered([]), []);
  });

  it('admitted URLs are at most 64 in one change', () => {
    const many = Array.from({ length: 129 }, (_, n) => ['a.test', false, entryAt(n), 1, n] as const);
    assert.deepEqual(
      gathered(many).map((change) => change.length - 2),
      [64, 64, 1],
    );
  });

  it('admitted URLs count as seen, and against room and budget, before they are written', () => {
    const entries = [entryAt(0), entryAt(1, { frontQueue: 7 }), entryAt(2, { frontQueue: 8 })];
    gathered(
      entries.map((entry, n) => ['a.test', false, entry, 5, n] as const),
      {},
      (admission) => {
        assert.deepEqual(
          [0, 1, 2, 3].map((lo) => admission.holds('a.test', 5, lo)),
          [true, true, true, false],
        );
        assert.deepEqual([admission.holds('a.test', 4, 0), admission.holds('b.test', 5, 0)], [false, false]);
        assert.deepEqual([admission.size, admission.sizeOf('a.test'), admission.sizeOf('b.test')], [3, 3, 0]);
        assert.deepEqual([admission.frontOf('a.test'), admission.frontOf('b.test')], [2, 0]);
        assert.deepEqual([admission.atFullRate('a.test'), admission.atFullRate('b.test')], [2, 0]);
        const bytes = entries.reduce((sum, { url }) => sum + url.length + 4, 0);
        assert.equal(admission.bytes, bytes);
        admission.noteFound(1, 2);
        assert.equal(admission.bytes, bytes + 10);
        admission.payments.pay(1, true, 1, 2);
        assert.equal(admission.bytes, bytes + 20);
        admission.flush();
        assert.deepEqual([admission.bytes, admission.size, admission.holds('a.test', 5, 0)], [0, 0, false]);
        admission.add('a.test', true, entryAt(9, { payload: Buffer.alloc(7) }), 5, 9);
        assert.deepEqual(
          [admission.bytes, admission.atFullRate('a.test'), admission.frontOf('a.test')],
          [...[urlAt(9).length + 7 + 4, 0, 1]],
        );
      },
    );
  });

  it('admitted URLs come after the facts of links, and what they receive', () => {
    const changes = gathered([['a.test', false, entryAt(0), 1, 0]], {}, (admission) => {
      admission.noteFound(1, 2);
      admission.payments.pay(1, false, 1, 2);
    });
    assert.deepEqual(changes, ['linked', 'cash', ['a.test', false, '0']]);
  });

  it('admitted URLs spend the budget, if they are new and not deferred', () => {
    const budget = { budget: defaultBudget };
    const spent = (known: boolean, frontQueue: number) =>
      gathered([['a.test', known, entryAt(0, { frontQueue }), 1, 0]], budget);
    assert.deepEqual(spent(false, 3), [['a.test', false, '0'], 'spend']);
    assert.deepEqual(spent(true, 3), [['a.test', true, '0']]);
    assert.deepEqual(spent(false, 8), [['a.test', false, '0']]);
    assert.deepEqual(gathered([['a.test', false, entryAt(0), 1, 0]]).length, 1);
  });
});
