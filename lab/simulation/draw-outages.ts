/** Faults between us and the web: outages on our own side, and answers that break off. Drawn separately from the others. */
import { chanceOf } from './chance.ts';
import type { Fault } from './faults.ts';
import type { BrokenAt } from './web.ts';
import type { World } from './world.ts';

/** Empty: no outage. `processes`: their names. */
export function drawOutages(seed: number, processes: readonly string[]): Fault[] {
  const chance = chanceOf(seed, 'outages');
  if (!chance.happens(0.2)) return [];
  const fetching = processes.filter((name) => !name.startsWith('frontier'));
  return Array.from({ length: chance.happens(0.3) ? 2 : 1 }, (): Fault => {
    const away = chance.happens(0.3) ? 'names' : 'network';
    const process = chance.happens(0.5) ? null : chance.pick(fetching);
    const forMs = chance.between(1, 6) * 60_000;
    const restart = {
      process: chance.pick(processes),
      afterMs: chance.between(1_000, forMs - 10_000),
      downMs: chance.between(100, 15_000),
    };
    // A process without a host that has answered knows only from the system that the fault is its own.
    const restarts = away === 'network' && chance.happens(0.4);
    const [at, pages] = [chance.between(0, 5_000), chance.between(1, 12)];
    return { kind: 'outage', at, pages, away, process, forMs, restart: restarts ? restart : null };
  });
}

/** Some URLs of one host side by side, so that it looks as if the host were at fault. */
export function drawBrokenAnswers(seed: number, { hosts }: World): Fault[] {
  const chance = chanceOf(seed, 'broken answers');
  if (!chance.happens(0.15)) return [];
  const { pages } = chance.pick(hosts.filter(({ steady }) => steady));
  const forMs = chance.pick([5_000, 60_000, 300_000]);
  const at = chance.between(0, 5_000);
  return pages
    .filter(() => chance.happens(0.5))
    .map(({ url }) => ({ kind: 'brokenAnswer', at, url, where: chance.pick<BrokenAt>(['head', 'body']), forMs }));
}
