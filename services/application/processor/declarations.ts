/** What the frontier and the fetcher read, write and keep; the consumers are declared beside what starts them (topology.ts). */
import type { Declaration } from './processor.ts';

export const frontier: Declaration = {
  name: 'frontier',
  does: 'admits URLs once, orders them, and leases hosts when they may be contacted',
  reads: ['control', 'results', 'discovered', 'tasks', 'frontier-changelog'],
  // Inputs too: what belongs to another partition is passed on to it.
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
  // Nothing is passed on, since a client's queue is on the partition to which its key leads.
  writes: ['frontier-changelog', 'control', 'dead-letters'],
  stores: ['seen test', 'host clock', 'back queues', 'leases', 'URLs done'],
};
