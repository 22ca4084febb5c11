import assert from 'node:assert/strict';
import { test } from 'node:test';
import { boundedDays, priceOfVisit } from '../../../../topology/policy/recrawl/allocation.ts';
import { ageOf, daysBetween, freshnessOf } from '../../../../topology/policy/recrawl/freshness.ts';
import { classOf, RateClasses, rateClassOf, rateOfClass } from '../../../../topology/policy/recrawl/rate-classes.ts';

const free = { minDays: 0, maxDays: Number.POSITIVE_INFINITY };
const alike = new Array<number>(8).fill(1);

/** Total freshness of pages at given days between visits. */
const total = (rates: readonly number[], days: readonly number[], weights?: readonly number[]) =>
  rates.reduce((sum, rate, page) => sum + (weights?.[page] ?? 1) * freshnessOf(rate, days[page]!), 0);

test('freshness and age follow the formulas, and are continuous for pages that hardly change', () => {
  assert.ok(Math.abs(freshnessOf(1, 1) - (1 - Math.exp(-1))) < 1e-12);
  assert.ok(Math.abs(freshnessOf(1e-10, 1) - 1) < 1e-9);
  assert.ok(Math.abs(ageOf(1, 2) - ageOf(1 + 1e-9, 2)) < 1e-6);
  assert.ok(Math.abs(ageOf(0.99e-4, 1) / ageOf(1.01e-4, 1) - 0.98) < 0.01);
});

test('more visits gain less and less: the marginal gain equals the price for all', () => {
  const price = 0.7;
  for (const rate of [0.01, 0.1, 0.5, 1, 1.4]) {
    const days = daysBetween(rate, 1, price);
    const step = 1e-6;
    const gain = (freshnessOf(rate, 1 / (1 / days + step)) - freshnessOf(rate, days)) / step;
    assert.ok(Math.abs(gain - price) < 1e-3, `${rate}: ${gain}`);
  }
});

test('a page that changes faster than visits pay off is given up', () => {
  assert.equal(daysBetween(2, 1, 0.7), Number.POSITIVE_INFINITY);
  assert.equal(boundedDays(2, 1, 0.7, { minDays: 1, maxDays: 30 }), 30);
  assert.ok(Number.isFinite(daysBetween(2, 4, 0.7)), 'unless it counts four times as much');
});

test('the five pages of Cho & Garcia-Molina get the visits of their table', () => {
  // Changes a day 1 to 5, five visits a day: 1.15, 1.36, 1.35, 1.14, 0.00.
  const rates = [1, 2, 3, 4, 5];
  let [low, high] = [1e-6, 1];
  for (let i = 0; i < 60; i++) {
    const price = (low + high) / 2;
    if (rates.reduce((sum, rate) => sum + 1 / daysBetween(rate, 1, price), 0) > 5) low = price;
    else high = price;
  }
  const visits = rates.map((rate) => (1 / daysBetween(rate, 1, high)).toFixed(2));
  assert.deepEqual(visits, ['1.15', '1.36', '1.35', '1.14', '0.00']);
});

test('the price uses up the bandwidth, and no other division is fresher', () => {
  const rates = Array.from({ length: 400 }, (_, n) => rateOfClass(rateClassOf(0.002 * 1.02 ** n)));
  const classes = new RateClasses();
  for (const rate of rates) classes.count(classOf(rate, 0), 1);
  const price = priceOfVisit(classes, alike, 100, free);
  const best = rates.map((rate) => boundedDays(rate, 1, price, free));
  assert.ok(Math.abs(best.reduce((sum, days) => sum + 1 / days, 0) - 100) < 0.01);
  const even = rates.map(() => 4);
  const all = rates.reduce((sum, rate) => sum + rate, 0);
  const proportional = rates.map((rate) => all / (100 * rate));
  assert.ok(total(rates, best) > total(rates, even));
  assert.ok(total(rates, even) > total(rates, proportional));
  // A small shift of visits from one page to another loses.
  for (let page = 0; page + 7 < rates.length; page += 7) {
    const days = [...best];
    if (!Number.isFinite(days[page]! + days[page + 7]!)) continue;
    days[page] = 1 / (1 / days[page]! + 0.01);
    days[page + 7] = 1 / (1 / days[page + 7]! - 0.01);
    assert.ok(total(rates, days) <= total(rates, best) + 1e-9, `${page}`);
  }
});

test('with importance, important pages are fresher, and the weighted sum is greater', () => {
  const weights = [1, 0.125];
  const rates = Array.from({ length: 200 }, (_, n) => 0.05 + 0.01 * (n >> 1));
  const classes = [new RateClasses(), new RateClasses()] as const;
  rates.forEach((rate, page) => {
    classes[0].count(classOf(rate, 0), 1);
    classes[1].count(classOf(rate, page % 2), 1);
  });
  const weightOf = rates.map((_, page) => weights[page % 2]!);
  const blind = priceOfVisit(classes[0], alike, 20, free);
  const seeing = priceOfVisit(classes[1], [...weights, 1, 1, 1, 1, 1, 1], 20, free);
  const daysBlind = rates.map((rate) => boundedDays(rate, 1, blind, free));
  const daysSeeing = rates.map((rate, page) => boundedDays(rate, weightOf[page]!, seeing, free));
  assert.ok(total(rates, daysSeeing, weightOf) > 1.05 * total(rates, daysBlind, weightOf));
});

test('bandwidth beyond all pages’ use has no price', () => {
  const classes = new RateClasses();
  classes.count(classOf(1, 0), 1);
  assert.equal(priceOfVisit(classes, alike, 100, { minDays: 1, maxDays: 30 }), 0);
  assert.equal(priceOfVisit(new RateClasses(), alike, 0, free), 0);
});
