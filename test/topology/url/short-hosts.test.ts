/** A host of one letter is a host: nothing that looks for a URL's path takes the next slash for its first. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { originOf } from '../../../services/fetcher/robots/cache.ts';
import { dateIn } from '../../../topology/policy/traps/calendar.ts';
import { knownView } from '../../../topology/policy/traps/known-views.ts';
import { repeatedSegments } from '../../../topology/policy/traps/repeated-segments.ts';
import { shapeOf } from '../../../topology/policy/traps/shape.ts';
import { compileFilters } from '../../../topology/url/filters.ts';
import { frontQueueOf } from '../../../topology/url/front-queue.ts';
import { hostKeyOf } from '../../../topology/url/host-key.ts';

const filter = compileFilters({ extensionsDenied: ['js'] });

/** Of a host and a path. */
const reported: Readonly<Record<string, (url: string, origin: string) => unknown>> = {
  origin: (url, origin) => originOf(url) === origin,
  hostKey: (url, origin) => hostKeyOf(url) === origin.slice(origin.indexOf('//') + 2),
  frontQueue: (url) => frontQueueOf(url, 3),
  shape: (url) => shapeOf(url),
  repeated: (url) => repeatedSegments(url, 3),
  calendar: (url) => dateIn(url),
  view: (url) => knownView(url)?.pattern ?? null,
  extension: (url) => filter(url, 1)?.rule ?? null,
};

const paths = [
  ...[
    '/',
    '/x',
    '/x/',
    '/x?y=1',
    '/?a&b&c&d',
    '/1/2/3/4/5/6/7',
    '/ab/ab/ab/',
    '/1/ab/ab/ab/ab',
    '/.js',
    '/x.js',
    '/js',
  ],
  ...['/2026/01', '/x/2026/01', '/timeline?from=2026-01-01', '/index.php?title=Special:Log', '/w/print'],
];

for (const [name, of] of Object.entries(reported))
  test(`${name} gives the same on a short host as on a longer one`, () => {
    const found = new Set<string>();
    for (const path of paths)
      for (const scheme of ['http://', 'https://']) {
        const [one, longer] = [`${scheme}a`, `${scheme}host.test`].map((origin) => of(origin + path, origin));
        assert.deepEqual(one, longer, scheme + path);
        found.add(JSON.stringify(longer));
      }
    assert.ok(found.size > 1 || found.has('true'), [...found].join());
  });
