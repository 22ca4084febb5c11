import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isForMachines } from '../../../topology/content/for-machines.ts';

test('feeds, data and styles are for machines; markup, text, documents and unknown types are for readers', () => {
  const machines = [
    ...['application/rss+xml', 'application/atom+xml', 'application/xml', 'text/xml', 'application/json'],
    ...[
      'application/ld+json',
      'application/feed+json',
      'text/css',
      'text/javascript',
      'application/javascript',
      'text/csv',
    ],
  ];
  const readers = [
    'text/html',
    'application/xhtml+xml',
    'text/plain',
    'text/markdown',
    'application/pdf',
    '',
    'text/xmlish',
  ];
  for (const type of machines) assert.ok(isForMachines(type), type);
  for (const type of readers) assert.ok(!isForMachines(type), type);
});
