import { test } from 'node:test';
import { keptSeeds, playSeeds, unitSeeds } from '../../../lab/simulation/seeds.ts';

test('whatever goes wrong, every invariant holds and the crawl comes to its end', () =>
  playSeeds(keptSeeds + 1, unitSeeds));
