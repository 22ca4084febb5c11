/** Links that are taken as what they would redirect to. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { blankLinkGroup } from '../../../../../schemas/blank.ts';
import {
  type Folded,
  foldOf,
  foldsInto,
  isAskedAsFound,
  learntOf,
} from '../../../../../topology/frontier/decide/links/fold.ts';
import type { Evidence } from '../../../../../topology/frontier/state/equivalences.ts';
import type { FrontierState } from '../../../../../topology/frontier/state/state.ts';
import type { PolicyConfig } from '../../../../../topology/policy/policy.ts';
import { Deciding, key } from '../deciding.ts';

const here = `https://${key}`;
const equivalences = { proofs: 3 };
const slash = { slash: { proofs: 3, against: 0, targets: [] } };

/** A URL that is not asked for as it was found, or one that is. */
function urlThat(state: FrontierState, isAsked: boolean): string {
  for (let n = 0; ; n++) if (isAskedAsFound(state.fingerprintOf(`${here}/${n}`)) === isAsked) return `${here}/${n}`;
}

function folded(
  known: Readonly<Record<string, Evidence>>,
  { isAsked = false, group = {}, policy = { equivalences } as Partial<PolicyConfig> } = {},
) {
  const deciding = new Deciding(policy);
  for (const [rewriting, evidence] of Object.entries(known))
    deciding.state.apply({ kind: 'equivalence', hostKey: key, rewriting, ...evidence });
  const url = urlThat(deciding.state, isAsked);
  let found: Folded | null = null;
  deciding.decide(
    (decision) => foldOf(decision, deciding.policy!, { ...blankLinkGroup, ...group }, key, url),
    (returned) => {
      found = returned;
    },
  );
  return (found as Folded | null)?.url.replace(url, '…') ?? null;
}

describe('a link', () => {
  it('a link is rewritten by what its host has proved often enough', () => {
    assert.equal(folded(slash), '…/');
    assert.equal(folded({ slash: { ...slash.slash, proofs: 2 } }), null);
    assert.equal(folded({ slash: { ...slash.slash, proofs: 5, against: 1 } }), null, 'twice as often since');
    assert.equal(folded({ slash: { ...slash.slash, proofs: 6, against: 1 } }), '…/');
    assert.equal(folded({ noSlash: slash.slash }), null, 'nothing of it is to be folded');
    assert.equal(folded({}), null);
  });

  it('a link is requested as found for one in sixteen, a redirect, an operator, or without a policy for it', () => {
    assert.equal(folded(slash, { isAsked: true }), null);
    assert.equal(folded(slash, { group: { hop: 1 } }), null);
    assert.equal(folded(slash, { group: { intent: 'force' } }), null);
    assert.equal(folded(slash, { group: { intent: 'refresh' } }), '…/');
    assert.equal(folded(slash, { policy: {} }), null);
    const marks = [0, 1, 8, 15, 16, 31, 32].map((lo) => isAskedAsFound(Uint32Array.of(1, lo)));
    assert.deepEqual(marks, [true, false, false, false, true, false, true]);
  });
});

it('a link’s rewritten target is reported, if it differs', () => {
  const evidence = new Map(Object.entries(slash));
  const { policy } = new Deciding({ equivalences });
  assert.equal(foldsInto(policy!, evidence, `${here}/x#y`), `${here}/x/`);
  assert.equal(foldsInto(policy!, evidence, `${here}/x/`), null);
  assert.equal(foldsInto(policy!, evidence, 'mailto:x'), null);
  assert.equal(foldsInto(new Deciding().policy!, evidence, `${here}/x`), null);
  assert.deepEqual([learntOf(evidence, 3), learntOf(evidence, 4)], [['slash'], []]);
});
