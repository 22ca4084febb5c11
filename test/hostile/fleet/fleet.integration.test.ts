/** Some owners' attacks at once on a fleet of two honest owners; `npm run hostile -- --fleet` is the same with forty owners, for ten minutes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { temporaryFolder } from '../../services/runtime/store/temporary-folder.ts';
import { fleetFiguresText } from './fleet-figures.ts';
import { fleetBeside } from './fleet-run.ts';
import { ownerAttacks } from './owner-attacks.ts';

const attacks = ['deadNames', 'privateLinks', 'webhooksInward', 'othersNames', 'operatorsFields', 'idempotencyStorm'];

test('a fleet under attack by its owners goes on, answers honest owners, and nothing private is read', async (t) => {
  for (const attack of attacks) assert.ok(ownerAttacks[attack], attack);
  const figures = await fleetBeside({
    ...{ honest: 2, attacks, warmUpSeconds: 3, aloneSeconds: 3, besideSeconds: 12, folder: temporaryFolder() },
    say: (text) => t.diagnostic(text),
  });
  t.diagnostic(fleetFiguresText(figures));
  assert.equal(figures.endedEarly, null);
  assert.deepEqual([figures.privateReached, figures.faults], [0, []]);
  assert.equal(figures.answers.length, attacks.length, 'each attack has made calls');
  assert.ok(figures.livezAsked > 0);
  assert.equal(figures.honestCalls.failed, 0);
  assert.ok(figures.honestCalls.calls > 4);
  for (const rate of figures.beside.rates) assert.ok(rate > 0, `pages of honest owners: ${figures.beside.rates}`);
});
