/** What single outcomes prove, or disprove, of how a host spells its URLs. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { blankOutcome } from '../../../../../schemas/blank.ts';
import type { Outcome } from '../../../../../schemas/types.ts';
import type { FinalStatus } from '../../../../../topology/frontier/changes/changes.ts';
import { learnEquivalences } from '../../../../../topology/frontier/decide/results/prove.ts';
import { type Evidence, noEvidence } from '../../../../../topology/frontier/state/equivalences.ts';
import type { PolicyConfig } from '../../../../../topology/policy/policy.ts';
import { Deciding, key, ofKind } from '../deciding.ts';
import { ok } from './result-of.ts';

const equivalences = { proofs: 2 };
const here = `https://${key}`;

/** A host of which so much is known. */
function deciding(
  known: Readonly<Record<string, Partial<Evidence>>> = {},
  policy: Partial<PolicyConfig> = { equivalences },
) {
  const one = new Deciding(policy);
  for (const [rewriting, evidence] of Object.entries(known))
    one.state.apply({ kind: 'equivalence', hostKey: key, rewriting, ...noEvidence, ...evidence });
  return one;
}

const redirectTo = (redirectUrl: string): Partial<Outcome> => ({ kind: 'redirect', status: 301, redirectUrl });

/** What is known of rewritings afterwards, where it changed: without the marks, or with `marked`. */
function learnt(one: Deciding, url: string, outcome: Partial<Outcome>, status: FinalStatus = 'redirected') {
  const said = one.decide((decision) =>
    learnEquivalences(decision, one.policy!, key, url, { ...blankOutcome, ...outcome }, status),
  );
  return ofKind(said, 'equivalence').map(({ kind: _, hostKey, ...evidence }) => {
    assert.equal(hostKey, key);
    return evidence;
  });
}

const markOf = ({ state }: Deciding, url: string) => state.fingerprintOf(url)[1]!;

describe('a redirect to another spelling', () => {
  it('a redirect to another spelling proves the rewriting to its target', () => {
    const one = deciding();
    assert.deepEqual(learnt(one, `${here}/x`, redirectTo(`${here}/x/`)), [
      { rewriting: 'slash', proofs: 1, against: 0, targets: [markOf(one, `${here}/x/`)] },
    ]);
    // The same target again proves nothing; the next one is enough, and the marks are forgotten.
    assert.deepEqual(learnt(one, `${here}/x`, redirectTo(`${here}/x/`)), []);
    const learntNow = { rewriting: 'slash', proofs: 2, against: 0, targets: [] };
    assert.deepEqual(learnt(one, `${here}/y`, redirectTo(`${here}/y/`)), [learntNow]);
    assert.deepEqual(learnt(one, `${here}/z`, redirectTo(`${here}/z/`)), [], 'it is known');
  });

  it('a redirect to another spelling proves each of its rewritings', () => {
    const found = learnt(deciding(), 'http://a.test/x', redirectTo('https://a.test/x/'));
    assert.deepEqual(found.map(({ rewriting }) => rewriting).sort(), ['https', 'slash']);
  });

  it('a redirect to another spelling is read in its target’s normal form', () => {
    assert.equal(learnt(deciding(), `${here}/x`, redirectTo(`${here}/x/#y`)).length, 1);
  });

  it('a redirect to another spelling must be seen twice as often after each contradiction', () => {
    const one = deciding({ slash: { against: 1, proofs: 2, targets: [7] } });
    assert.deepEqual(learnt(one, `${here}/x`, redirectTo(`${here}/x/`)), [
      { rewriting: 'slash', proofs: 3, against: 1, targets: [7, markOf(one, `${here}/x/`)] },
    ]);
    assert.deepEqual(learnt(one, `${here}/y`, redirectTo(`${here}/y/`)), [
      { rewriting: 'slash', proofs: 4, against: 1, targets: [] },
    ]);
  });

  it('a redirect to another spelling disproves the opposite, if that was proved', () => {
    const one = deciding({ noSlash: { proofs: 1, against: 2, targets: [7] } });
    assert.deepEqual(learnt(one, `${here}/x`, redirectTo(`${here}/x/`)).slice(1), [
      { rewriting: 'noSlash', proofs: 0, against: 3, targets: [] },
    ]);
    assert.equal(learnt(deciding({ noSlash: { against: 1 } }), `${here}/x`, redirectTo(`${here}/x/`)).length, 1);
    assert.equal(learnt(deciding(), 'http://a.test/x', redirectTo(`${here}/x`)).length, 1, 'https has no opposite');
  });

  it('redirects to another spelling are kept for sixteen rewritings per host, by sixteen marks each', () => {
    const many = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`query:p${n}`, { proofs: 1 }]));
    assert.equal(learnt(deciding(many(15)), `${here}/x`, redirectTo(`${here}/x/`)).length, 1);
    assert.deepEqual(learnt(deciding(many(16)), `${here}/x`, redirectTo(`${here}/x/`)), []);
    assert.equal(learnt(deciding({ ...many(15), slash: {} }), `${here}/x`, redirectTo(`${here}/x/`)).length, 1);
    const marks = Array.from({ length: 16 }, (_, n) => n + 1);
    const one = deciding({ slash: { against: 4, targets: marks } });
    const [after] = learnt(one, `${here}/x`, redirectTo(`${here}/x/`));
    assert.deepEqual(after!.targets, [...marks.slice(1), markOf(one, `${here}/x/`)]);
  });

  it('a redirect to another spelling proves nothing elsewhere, to an unfetched URL, or without a policy for it', () => {
    assert.deepEqual(learnt(deciding(), `${here}/x`, redirectTo(`${here}/other`)), []);
    assert.deepEqual(learnt(deciding(), `${here}/x`, redirectTo('mailto:x')), []);
    assert.deepEqual(learnt(deciding(), `${here}/x`, { kind: 'gone', redirectUrl: `${here}/x/` }, 'failed'), []);
    assert.deepEqual(learnt(deciding({}, {}), `${here}/x`, redirectTo(`${here}/x/`)), []);
  });
});

describe('a page in a rewritable spelling', () => {
  it('a page in a rewritable spelling contradicts the rewriting', () => {
    const known = { slash: { proofs: 1, against: 1 }, https: { proofs: 1 } };
    assert.deepEqual(learnt(deciding(known), `${here}/x`, ok, 'page'), [
      { rewriting: 'slash', proofs: 0, against: 2, targets: [] },
    ]);
    assert.deepEqual(learnt(deciding(known), `${here}/x/`, ok, 'page'), []);
    assert.deepEqual(learnt(deciding({ slash: { against: 1 } }), `${here}/x`, ok, 'page'), [], 'nothing was proved');
  });

  it('a missing or invalid page contradicts nothing', () => {
    const known = { slash: { proofs: 2 } };
    assert.deepEqual(learnt(deciding(known), `${here}/x`, { ...ok, soft404: true }, 'page'), []);
    assert.deepEqual(learnt(deciding(known), `${here}/x`, { kind: 'gone', status: 404 }, 'failed'), []);
    assert.deepEqual(learnt(deciding(known, {}), `${here}/x`, ok, 'page'), []);
  });
});
