/** Content dedup as a consumer: its state in `DATA/dedup/`. */
import { z } from 'zod';
import { oneOf } from '../../application/processor/option.ts';
import { declareProcessor, type OptionMeta } from '../../application/processor/processor.ts';

export const dedup = declareProcessor({
  name: 'dedup',
  does: 'find duplicate pages; the frontier defers new URLs under prefixes of mostly duplicates',
  reads: ['pages', 'results', 'control'],
  writes: ['duplicates', 'control', 'dead-letters'],
  stores: ['contents, clusters, verdicts'],
  options: z.object({
    dedupBy: oneOf(['simhash', 'minhash'])
      .optional()
      .meta({
        value: '<method>',
        about: 'near-duplicates: minhash (60 % of word pairs), simhash (61 of 64 bits) (default: minhash)',
        reason: 'minhash finds copies with a tenth of the words edited; simhash nearly none, in 60 B a page, not 700 B',
      } satisfies OptionMeta),
  }),
  needs: 'mainText',
  holds: {
    follows: ['pages', 'control'],
    forget: async (at) => (await import('./forget-dedup.ts')).forgetDedup(at),
  },
  storeMb: 128,
  start: async (context, given) => (await import('./start-dedup.ts')).startDedup(context, given),
});
