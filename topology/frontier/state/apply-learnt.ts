/**
 * Applies changes that do not concern single URLs: inputs, links, budgets, cash, tags, prices, hubs, and rewritings.
 * They are not in the rows of hosts, so they are never ahead of the changelog's position.
 */
import type { Change } from '../changes/changes.ts';
import { evidenceOf } from './equivalences.ts';
import type { FrontierState } from './state.ts';

type Learnt = Change & {
  readonly kind:
    | 'inputEpoch'
    | 'countReferrer'
    | 'spend'
    | 'price'
    | 'linked'
    | 'cash'
    | 'tagSet'
    | 'equivalence'
    | 'gain'
    | 'verdict'
    | 'retime';
};

export function applyLearnt(state: FrontierState, change: Learnt): void {
  switch (change.kind) {
    case 'inputEpoch':
      state.inputEpochs[change.topic] = change.epoch;
      return;
    case 'countReferrer':
    case 'spend':
      return state.budgets.apply(change);
    case 'price':
      return state.recrawl.setPrice(change.price, change.atMs);
    case 'retime':
      return state.recrawl.setRetiming(change);
    case 'linked':
      return state.inLinks.count(change.fingerprints);
    case 'cash':
      return state.cash.move(change.amount, change.isNew, change.fingerprints);
    case 'tagSet':
      return state.tagSets.add(change.number, change.tags);
    case 'equivalence':
      return state.equivalences.put(change.hostKey, change.rewriting, evidenceOf(change));
    case 'verdict':
      return state.recrawl.judge(state.fingerprintOf(change.url), change.duplicateOf !== '');
    case 'gain':
      return state.recrawl.gain(Uint32Array.of(change.hi, change.lo), change.urls);
  }
}
