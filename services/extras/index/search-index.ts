/** The search index as a consumer: SQLite in `DATA/index/`, or OpenSearch. */

import { z } from 'zod';
import { canParse } from '../../../topology/url/can-parse.ts';
import { text } from '../../application/processor/option.ts';
import { declareProcessor, type OptionMeta } from '../../application/processor/processor.ts';

const options = z.object({
  opensearch: text(
    (value) => canParse(value) && /^https?:/.test(value),
    'give the URL of a node, as in http://localhost:9200',
  )
    .optional()
    .meta({
      value: '<url>',
      about: 'index into this OpenSearch instead of a file in the data folder',
      reason: 'SQLite in the data folder needs no server',
    } satisfies OptionMeta),
  // OpenSearch's own rule, without hidden names.
  opensearchIndex: text(
    (value) => /^[a-z0-9][a-z0-9_.-]{0,200}$/.test(value),
    'use lower-case letters, digits, _, . and -',
  )
    .optional()
    .meta({
      value: '<name>',
      about: 'name of the OpenSearch index (default: the name of the crawl)',
      reason: 'one index per crawl',
    } satisfies OptionMeta),
});

export const searchIndex = declareProcessor({
  name: 'index',
  does: 'index pages for search, but not deleted ones, duplicates, or pages that their sites bar',
  reads: ['pages', 'results', 'duplicates', 'control'],
  writes: ['dead-letters'],
  stores: ['search index'],
  options,
  holds: {
    follows: ['pages', 'control'],
    isElsewhere: ({ opensearch }) => opensearch !== undefined,
    forget: async (at) => (await import('./forget-indexed.ts')).forgetIndexed(at),
  },
  storeMb: 128,
  start: async (context, given) => (await import('./start-search-index.ts')).startSearchIndex(context, given),
});
