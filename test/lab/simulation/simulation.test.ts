import { test } from 'node:test';
import { keptSeeds, playSeeds, unitSeeds } from '../../../lab/simulation/seeds.ts';

test('every invariant holds under any faults, and the crawl ends', () => playSeeds(keptSeeds + 1, unitSeeds));
