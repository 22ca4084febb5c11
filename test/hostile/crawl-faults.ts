/** What is wrong with the figures of a crawl beside hostile hosts, and with those of the crawl that they are compared with. */
import type { Figures } from './hostile-run.ts';

type Compared = Pick<Figures, 'rate' | 'coreShare'>;
type Judged = Compared & Pick<Figures, 'endedEarly' | 'memoryMib' | 'privateReached' | 'livezLate'>;

/** Returns what the crawl beside hostile hosts keeps of its rate alone, for the core that it had in each part. */
export function keptShare(alone: Compared, beside: Compared): number {
  return beside.rate / beside.coreShare / (alone.rate / alone.coreShare);
}

export function crawlFaults(alone: Compared, beside: Judged, memoryMibMax: number): string[] {
  const share = keptShare(alone, beside);
  return [
    ...(beside.endedEarly === null ? [] : ['a process ended']),
    ...(beside.memoryMib <= memoryMibMax ? [] : [`memory is beyond ${memoryMibMax} MiB`]),
    ...(beside.privateReached === 0 ? [] : ['something private was reached']),
    ...(beside.livezLate === 0 ? [] : ['/livez took longer than a second']),
    ...(share >= 0.8 ? [] : ['honest hosts keep less than 80 %']),
    // Nothing that was slower alone shows how much is kept.
    ...(share <= aloneShareMax ? [] : ['something else hindered the crawl alone: run it again on a quiet machine']),
  ];
}

/** Beside others, no crawl is much faster than alone. */
const aloneShareMax = 1 / 0.9;
