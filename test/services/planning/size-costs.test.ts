import assert from 'node:assert/strict';
import { test } from 'node:test';
import { busyShare } from '../../../services/planning/coefficients.ts';
import { costsOf, defaultPrices, type PriceName, type Prices, prices } from '../../../services/planning/size-costs.ts';
import { sizeDefaults, sizeOf } from '../../../services/planning/size-model.ts';

const input = { ...sizeDefaults, urls: 100e6, hosts: 1e6, rate: 500, delayMs: 1000 };
const costs = (of: Prices) => costsOf(input, sizeOf(input), busyShare, of);
const names = Object.keys(prices) as PriceName[];
const free = Object.fromEntries(names.map((name) => [name, 0])) as Prices;

test('without prices nothing has a cost, and each price adds the same cost alone and among others', () => {
  assert.equal(costs(free).hour, 0);
  const apart = names.reduce((sum, name) => sum + costs({ ...free, [name]: defaultPrices[name] }).hour, 0);
  assert.ok(Math.abs(apart / costs(defaultPrices).hour - 1) < 1e-9);
});

test('a million pages cost their share of an hour', () => {
  const { hour, millionPages } = costs(defaultPrices);
  assert.ok(Math.abs(millionPages / ((hour * 1e6) / (500 * 3600)) - 1) < 1e-9);
});

test('brokers’ disks are priced with all copies', () => {
  const { brokersDisk } = costs({ ...free, 'broker-gib-month': 730 });
  assert.ok(Math.abs(brokersDisk / (sizeOf(input).brokers.diskBytes / 2 ** 30) - 1) < 1e-9);
});

test('one copy in one zone has no replication cost', () => {
  const one = { ...input, replication: 1 };
  const alone = costsOf(one, sizeOf(one), busyShare, defaultPrices).betweenZones;
  assert.ok(alone < costs(defaultPrices).betweenZones);
});
