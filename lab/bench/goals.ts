/**
 * The goal of a bench, and the limit that nothing could beat, in the units that it prints. docs/benchmarks.md compares
 * our figures with both.
 */
export const goals: ReadonlyMap<string, string> = new Map([
  ['answers', 'goal: 0.40 ms a plain page more; 0.50 of a page for what is none; 1 % and 15 % of a core for waiting'],
  ['beside-urlfrontier', 'goal: a fifth of the CPU that URLFrontier takes, at each verb'],
  [
    'fetch',
    'goal: 0.40 ms a page (plain), 0.45 a request (messy), 1.2 times either over TLS; floor: 0.25 ms, undici and htmlparser2 with no frontier',
  ],
  ['frontier', 'goal: 300,000 a second that are all new (--duplicates 0), no pause beyond 50 ms'],
  ['lease-cycle', 'goal: 100,000 URLs a second at each size'],
  ['polite', 'goal: 0.97 of the ideal from the second second on; floor: 1, with no gap below the delay'],
  ['restart', 'goal: 1.5 s for 5 million known and queued'],
  ['starts', 'goal: 1.6 times node -e 0 for a version or a help, and 500 ms more than it for a crawl of three pages'],
  ['worker-ceiling', 'goal: none is set; floor: what frontier and log take of each page on the first core'],
  ['workers', 'goal: 0.92 of one process’s pages per CPU-second; floor: crawls apart, which share nothing'],
]);
