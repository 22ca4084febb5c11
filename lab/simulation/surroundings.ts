/** Faults of a crawl's surroundings: other people's programs and orchestrators. Drawn separately from the others. */
import { chanceOf } from './chance.ts';
import type { Fault } from './faults.ts';
import type { StrayTopic } from './stray-records.ts';
import type { World } from './world.ts';

export function drawSurroundings(seed: number, world: World): Fault[] {
  if (world.embedded) return [];
  const chance = chanceOf(seed, 'surroundings');
  const faults: Fault[] = [];
  if (chance.happens(0.08)) {
    const [at, killed] = [chance.between(0, 20_000), chance.happens(0.5)];
    faults.push({ kind: 'noFetchers', at, killed, forMs: chance.between(1, 3) * 3_600_000 });
  }
  if (world.partitions > 1 && chance.happens(0.25)) {
    for (let more = chance.between(1, 4); more > 0; more--) {
      const topic = chance.pick<StrayTopic>(['discovered', 'discovered', 'tasks', 'results', 'control']);
      const at = chance.between(0, 30_000);
      faults.push({ kind: 'stray', at, topic });
      // Frontiers append to the topic when they pass it on.
      const process = `frontier-${chance.between(0, world.frontiers - 1)}`;
      if (topic !== 'tasks' && chance.happens(0.4))
        faults.push({ kind: 'append', at, process, topic, fault: chance.pick(['lost', 'ackLost', 'late']) });
    }
  }
  if (chance.happens(0.1)) {
    const at = chance.between(0, 20_000);
    const topic = chance.pick<StrayTopic>(['discovered', 'results', 'control', 'tasks']);
    faults.push({ kind: 'grow', at, topic, by: chance.between(1, 3) });
    // Processes that start after that see it.
    const process = topic === 'tasks' ? 'fetcher-0' : 'frontier-0';
    faults.push({ kind: 'stop', at: at + chance.between(1, 5_000), process, downMs: chance.between(100, 3_000) });
  }
  return faults;
}
