import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cashScore, emptyAccount, receive, visit } from '../../../../topology/policy/score/cash.ts';

/** Visits pages in turn, for so many rounds, on a graph where each page starts with cash 1. */
function flow(graph: readonly (readonly number[])[], rounds: number) {
  let accounts = graph.map(() => receive(emptyAccount, 1));
  let waiting = 0;
  for (let round = 0; round < rounds; round++) {
    for (const [page, links] of graph.entries()) {
      const done = visit(accounts[page]!, links.length, round, { tax: 0.15, window: 20 });
      accounts = accounts.with(page, done.account);
      for (const link of links) accounts = accounts.with(link, receive(accounts[link]!, done.perLink));
      waiting += done.toAll;
    }
    const each = waiting / graph.length;
    accounts = accounts.map((account) => receive(account, each));
    waiting = 0;
  }
  return accounts;
}

test('cash is neither made nor lost', () => {
  const accounts = flow([[1, 2], [2], [0], [0, 1, 2], []], 50);
  const sum = accounts.reduce((all, { cash }) => all + cash, 0);
  assert.ok(Math.abs(sum - 5) < 1e-9, `${sum}`);
});

test('what flows through pages orders them as PageRank does', () => {
  // Everybody links to 0, 0 links to 1, nobody to 3.
  const graph = [[1], [0, 2], [0], [0]];
  const accounts = flow(graph, 200);
  const rank = pageRank(graph);
  const average = accounts.reduce((sum, { cash, history }) => sum + cash + history, 0) / accounts.length;
  const scores = accounts.map((account) => cashScore(account, average, 1));
  const order = (values: readonly number[]) => values.map((_, page) => page).sort((a, b) => values[b]! - values[a]!);
  assert.deepEqual(order(scores), order(rank));
  for (const one of scores) assert.ok(one > 0 && one < 1);
});

function pageRank(graph: readonly (readonly number[])[]): number[] {
  let rank = graph.map(() => 1 / graph.length);
  for (let round = 0; round < 100; round++) {
    const next = graph.map(() => 0.15 / graph.length);
    for (const [page, links] of graph.entries())
      for (const link of links) next[link]! += (0.85 * rank[page]!) / links.length;
    rank = next;
  }
  return rank;
}

test('history outside the window is forgotten in proportion', () => {
  const config = { tax: 0, window: 10 };
  const once = visit(receive(emptyAccount, 4), 1, 10, config).account;
  assert.equal(visit(receive(once, 1), 1, 15, config).account.history, once.history / 2 + 1);
  assert.equal(
    visit(receive(once, 1), 1, 30, config).account.history,
    0.5,
    'half a window’s worth of what came in two',
  );
  assert.equal(cashScore(emptyAccount, 1, 1), 0);
});
