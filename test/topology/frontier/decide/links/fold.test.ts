import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LinkGroup } from '../../../../../schemas/types.ts';
import type { Decision } from '../../../../../topology/frontier/decide/decision.ts';
import { foldOf, foldsInto, isAskedAsFound, learntOf } from '../../../../../topology/frontier/decide/links/fold.ts';
import { type HostEvidence, noEvidence } from '../../../../../topology/frontier/state/equivalences.ts';
import type { Policy } from '../../../../../topology/policy/policy.ts';

const proofs = 3;
const learnt: HostEvidence = new Map([
  ['https', { ...noEvidence, proofs }],
  ['www', { ...noEvidence, proofs: proofs - 1 }],
]);
const policy = (equivalences: object | undefined) =>
  ({
    config: { equivalences },
    normalize: (url: string) => (url.startsWith('http') ? url.toLowerCase() : null),
  }) as unknown as Policy;
const told = policy({ proofs });
const group = (more: Partial<LinkGroup> = {}) => ({ hop: 0, intent: 'discover', ...more }) as LinkGroup;

function decision({ isPassedOn = false, bits = 1, evidence = learnt } = {}) {
  return {
    misrouted: { isPassedOn },
    state: {
      equivalences: { of: (host: string) => (host === 'a.test' ? evidence : new Map()) },
      identityOf: () => Uint32Array.of(0, bits),
    },
  } as unknown as Decision;
}

const fold = (of: Decision, { policy = told, links = group(), host = 'a.test', url = 'http://a.test/x' } = {}) =>
  foldOf(of, policy, links, host, url);

test('a link is folded by what its host has proved often enough', () => {
  assert.equal(fold(decision()), 'https://a.test/x');
  assert.equal(fold(decision(), { url: 'https://a.test/x' }), null, 'it is that already');
  assert.equal(fold(decision(), { host: 'b.test' }), null, 'of another host nothing is known');
  const once: HostEvidence = new Map([['https', { ...noEvidence, proofs: proofs - 1 }]]);
  assert.equal(fold(decision({ evidence: once })), null, 'one proof too few');
  assert.deepEqual(learntOf(learnt, proofs), ['https']);
  assert.deepEqual(learntOf(learnt, proofs - 1), ['https', 'www']);
});

test('what an operator forces, a redirect led to, or another partition passed on is taken as it is', () => {
  assert.equal(fold(decision(), { links: group({ hop: 1 }) }), null);
  assert.equal(fold(decision(), { links: group({ intent: 'force' }) }), null);
  assert.equal(fold(decision(), { links: group({ intent: 'refresh' }) }), 'https://a.test/x');
  assert.equal(fold(decision({ isPassedOn: true })), null);
  assert.equal(fold(decision(), { policy: policy(undefined) }), null, 'nothing is to be folded');
});

test('one URL in sixteen is asked for as it was found', () => {
  const asked = Array.from({ length: 64 }, (_, bits) => bits).filter((bits) => isAskedAsFound(Uint32Array.of(7, bits)));
  assert.deepEqual(asked, [0, 16, 32, 48]);
  assert.equal(fold(decision({ bits: 32 })), null);
  assert.equal(fold(decision({ bits: 33 })), 'https://a.test/x');
});

test('where a link would lead is told of its normal form', () => {
  assert.equal(foldsInto(told, learnt, 'http://A.test/x'), 'https://a.test/x');
  assert.equal(foldsInto(told, learnt, 'https://a.test/x'), null);
  assert.equal(foldsInto(told, learnt, 'mailto:me'), null);
  assert.equal(foldsInto(policy(undefined), learnt, 'http://a.test/x'), null);
});
