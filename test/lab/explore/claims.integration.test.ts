import assert from 'node:assert/strict';
import { test } from 'node:test';
import { claimsAllowed, createClaimsWorld } from '../../../lab/explore/claims/world.ts';
import { explore } from '../../../lab/explore/engine/explore.ts';

test('owners and fetchers keep every rule in each of a hundred thousand orders of events', () => {
  const { states, violation } = explore(createClaimsWorld(claimsAllowed), { depth: 10, endsEvery: 512 });
  assert.equal(violation, null, violation?.history.join('\n'));
  assert.ok(states > 100_000, `${states} states`);
});
