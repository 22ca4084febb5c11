import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { claimsAllowed, createClaimsWorld, lossesAllowed } from '../../../lab/explore/claims/world.ts';
import { explore, type World } from '../../../lab/explore/engine/explore.ts';
import { rules, Violation } from '../../../lab/explore/engine/violation.ts';
import { worlds } from '../../../lab/explore/worlds.ts';
import { LeaseDeadlines } from '../../../topology/frontier/hosts/lease-deadlines.ts';

/** Two counters that are alike, each of which goes up to `most`. */
function counters(most: number, forbidden: (a: number, b: number) => boolean): World<readonly [number, number]> {
  return {
    first: [0, 0],
    moves: ([a, b]) =>
      (
        [
          ['one', a + 1, b],
          ['other', a, b + 1],
        ] as const
      )
        .filter(([, x, y]) => Math.max(x, y) <= most)
        .map(([name, x, y]) => ({
          say: () => `${name} counts to ${x + y - a - b + (name === 'one' ? a : b)}`,
          next: () => [x, y],
        })),
    hash([a, b], words) {
      words[0] = Math.min(a, b);
      words[1] = Math.max(a, b);
    },
    check([a, b]) {
      if (forbidden(a, b)) throw new Violation('positions', `${a} and ${b}`);
    },
    checkEnd: () => {},
  };
}

describe('the explorer', () => {
  it('the explorer meets each state once, and symmetric ones as one', () => {
    const { states, isWhole, violation, depth } = explore(
      counters(3, () => false),
      { depth: 20, endsEvery: 1 },
    );
    assert.equal(violation, null);
    assert.deepEqual({ states, isWhole, depth }, { states: 10, isWhole: true, depth: 7 });
  });

  it('the explorer prints the history with the fewest actions', () => {
    const world = counters(9, (a, b) => a + b === 4 && a !== b);
    assert.deepEqual(explore(world, { depth: 20, endsEvery: 1 }).violation?.history.length, 4);
  });

  it('the explorer stops at the depth, and reports that states may be beyond', () => {
    const { states, isWhole, depth } = explore(
      counters(3, () => false),
      { depth: 2, endsEvery: 1 },
    );
    assert.deepEqual({ states, isWhole, depth }, { states: 4, isWhole: false, depth: 2 });
  });

  it('the explorer prefers a broken rule with fewer actions to a history that does not end', () => {
    const since = Array.from({ length: 9 }, (_, n) => `waits ${n}`);
    const world: World<readonly [number, number]> = {
      ...counters(9, (a) => a === 3),
      checkEnd: () => {
        throw new Violation('end', 'it waits for ever', since);
      },
    };
    assert.match(explore(world, { depth: 20, endsEvery: 1 }).violation!.rule, /^positions/);
    assert.equal(explore(world, { depth: 2, endsEvery: 1 }).violation?.history.length, 9);
  });

  it('the explorer reports what explored code throws, with the history', () => {
    const world = counters(9, (a) => {
      if (a === 2) throw new TypeError('a is not a function');
      return false;
    });
    const { violation } = explore(world, { depth: 20, endsEvery: 1 });
    assert.deepEqual(violation, {
      rule: 'threw: a is not a function',
      history: ['one counts to 1', 'one counts to 2'],
    });
  });
});

/** The state to which a history leads. Throws Violation where a rule does not hold on the way. */
function follow<State>(world: World<State>, history: readonly string[]): State {
  return history.reduce((state, event) => {
    const moves = world.moves(state);
    const move = moves.find((one) => one.say() === event);
    assert.ok(move, `"${event}" is none of ${moves.map((one) => one.say()).join('; ')}`);
    const after = move.next();
    world.check(after);
    return after;
  }, world.first);
}

describe('the rules', () => {
  it('the design page lists each rule by its name, in its words', async () => {
    const page = await readFile('docs/design.md', 'utf8');
    const listed = [...page.matchAll(/^\| `([a-z ]+)` \| (.*) \|$/gm)].map(([, name, text]) => [name, `${text}.`]);
    for (const row of Object.entries(rules))
      assert.ok(
        listed.some((one) => isDeepStrictEqual(one, row)),
        `not in docs/design.md: ${row.join(': ')}`,
      );
  });
});

describe('histories that broke a rule', () => {
  it('a standby starts again if the changelog has lost its last record, although a claim names that record', () => {
    const { standby, changelog } = follow(createClaimsWorld(lossesAllowed, false), [
      'the standby reads record 0',
      'the standby reads record 1',
      'the partition is given to the other process',
      'Q reads the changelog up to 2 and sends its claim',
      'the changelog loses its newest record, 1',
      'P decides commit 2, which grants lease 1 of a.test',
      'the commit of P lands at 1, and P hears of it: it expected 2, and drops its state',
      'the claim of Q lands at 2',
      'the standby reads record 2',
    ]);
    assert.equal(changelog.length, 3);
    assert.equal(standby.length, 0);
  });

  it('a longer delay that an operator sets while the host waits holds for its next contact', () => {
    const world = createClaimsWorld(claimsAllowed);
    const state = follow(world, [
      'P decides commit 2, which grants lease 1 of a.test',
      'the commit of P lands at 2, and P hears of it',
      'P publishes the task of lease 1',
      'a fetcher takes the task of lease 1',
      'the fetcher of lease 1 requests http://a.test/moved',
      'the fetcher of lease 1 has its answer: redirect',
      'the fetcher of lease 1 publishes its links',
      'P decides commit 3, which grants lease 2 of b.test',
      'the fetcher of lease 1 reports its outcome',
      'P decides commit 4',
      'an operator asks for a longer delay',
      'the commit of P lands at 3, and P hears of it',
      'the commit of P lands at 4, and P hears of it',
      'P publishes the task of lease 2',
      'P decides commit 5',
      'the commit of P lands at 5, and P hears of it',
    ]);
    const times = world.moves(state).flatMap((move) => / s pass$/.exec(move.say())?.input ?? []);
    assert.deepEqual(times, ['3 s pass']);
  });
});

describe('every order of events in small worlds', () => {
  it('two owners and two fetchers keep every rule in every order up to a depth', () => {
    const { states, violation } = explore(createClaimsWorld(claimsAllowed), { depth: 6, endsEvery: 8 });
    assert.equal(violation, null, violation?.history.join('\n'));
    assert.ok(states > 1_500, `${states} states`);
  });

  it('owners keep every rule in every order where the changelog loses its newest record', () => {
    const { states, violation } = explore(createClaimsWorld(lossesAllowed), { depth: 5, endsEvery: 8 });
    assert.equal(violation, null, violation?.history.join('\n'));
    assert.ok(states > 500, `${states} states`);
  });

  for (const [name, depth] of [
    ['quota', 6],
    ['desk', 4],
    ['forget', 4],
    ['end', 60],
    ['fleet', 8],
  ] as const)
    it(`the explorer finds nothing in the world ${name} up to depth ${depth}`, () => {
      const { states, violation } = explore(worlds[name]!.create(), { depth, endsEvery: 32 });
      assert.equal(violation, null, violation?.history.join('\n'));
      assert.ok(states > 500, `${states} states`);
    });

  it('the explorer finds a lease that ends before its deadline, and prints how', () => {
    const real = LeaseDeadlines.prototype.takeUpTo;
    LeaseDeadlines.prototype.takeUpTo = function (atMs: number) {
      return real.call(this, atMs + 600_000);
    };
    try {
      const { violation } = explore(createClaimsWorld(claimsAllowed), { depth: 7, endsEvery: 1_000_000 });
      assert.match(violation!.rule, /^deadline: record 3 ends lease 1 \d+ ms before its deadline$/);
      assert.equal(violation!.history[0], 'P decides commit 2, which grants lease 1 of a.test');
      assert.ok(violation!.history.length <= 7, violation!.history.join('\n'));
    } finally {
      LeaseDeadlines.prototype.takeUpTo = real;
    }
  });
});
