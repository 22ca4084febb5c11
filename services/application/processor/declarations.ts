/**
 * Topics and stores of the frontier and the fetcher. Consumers are declared beside the code that starts them
 * (topology.ts).
 */
import type { Declaration } from './processor.ts';

export const frontier: Declaration = {
  name: 'frontier',
  does: 'admits URLs once, orders them, and leases hosts when they may be contacted',
  reads: ['control', 'results', 'discovered', 'tasks', 'frontier-changelog'],
  // It also writes to its inputs: records of another partition are passed on to it.
  writes: ['frontier-changelog', 'tasks', 'control', 'results', 'discovered', 'dead-letters'],
  stores: ['seen test', 'host clock', 'back queues', 'leases', 'URL records'],
};

export const fetcher: Declaration = {
  name: 'fetcher',
  does: 'fetches leases politely, reads pages, publishes their links and what became of each URL',
  reads: ['tasks', 'control'],
  writes: ['pages', 'discovered', 'results', 'robots', 'responses', 'render', 'dead-letters'],
  stores: [],
};

export const urlfrontier: Declaration = {
  name: 'urlfrontier',
  does: 'a frontier for external clients, which lease URLs by gRPC; it needs no tasks and fetchers',
  // No fetcher reports to it, but results are an input of every frontier.
  reads: ['control', 'results', 'discovered', 'frontier-changelog'],
  // Nothing is passed on, because a client's queue is on the partition that its key leads to.
  writes: ['frontier-changelog', 'control', 'dead-letters'],
  stores: ['seen test', 'host clock', 'back queues', 'leases', 'URLs done'],
};
