import { test } from 'node:test';
import { playSeeds, unitSeeds } from '../../../lab/simulation/seeds.ts';

test('whatever goes wrong, every invariant holds and the crawl comes to its end', () => playSeeds(1, unitSeeds));
