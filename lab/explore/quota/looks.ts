/**
 * The watcher of the world `end` declares the crawl over after two equal looks (topology/frontier/ask/crawl-end.ts). A
 * look sees the partitions at different moments.
 */
import { crawlEnd, type Look, type PartitionStatus } from '../../../topology/frontier/ask/crawl-end.ts';
import type { Move } from '../engine/explore.ts';
import type { Play } from './moves.ts';
import type { Side, State } from './state.ts';

export function statusOf({ decider, control, results, discovered }: Side): PartitionStatus {
  const ends = { control: control.length, results: results.length, discovered: discovered.length };
  return { positions: decider.copy.positions, counters: decider.copy.counters, ends };
}

/** A partition with leases shows at once that the crawl goes on: no look begins there. */
export function looks({ sides: parts, setting }: Play, state: State): Move<State>[] {
  const { watcher, sides, left } = state;
  const [first, second] = [statusOf(sides[0]), statusOf(sides[1])];
  if (watcher.end !== null) return [];
  if (watcher.seen === null && (left.looks === 0 || first.counters.leases > 0)) return [];
  if (watcher.seen === null)
    return [
      {
        say: () => 'the watcher looks at partition 0',
        next: () => {
          const watching = parts.watcher({ seen: first, before: watcher.before, end: null });
          return { ...state, watcher: watching, left: { ...left, looks: left.looks - 1 } };
        },
      },
    ];
  const look: Look = { partitions: [watcher.seen, second], pageQuota: setting.pageQuota };
  const end = watcher.before === null ? null : crawlEnd(watcher.before, look);
  const before = crawlEnd(look, look) === null ? null : look;
  return [
    {
      say: () => `the watcher looks at partition 1${end === null ? '' : `, and declares the crawl over: ${end}`}`,
      next: () => ({ ...state, watcher: parts.watcher({ seen: null, before, end }) }),
    },
  ];
}
