/**
 * The renderer as a consumer of `render`: a browser beside the crawl. Its requests are as polite as those for pages.
 */
import { z } from 'zod';
import { holdsNothing } from '../../application/processor/holding.ts';
import { declareProcessor, type OptionMeta } from '../../application/processor/processor.ts';

const options = z.object({
  browser: z
    .string()
    .optional()
    .meta({
      value: '<path>',
      about: 'chromium program that renders pages (default: chromium in PATH)',
      reason: 'most pages need no browser, and the installed one fits',
    } satisfies OptionMeta),
});

export const render = declareProcessor({
  name: 'render',
  does: 'run pages with scripts in a browser, and publish the resulting documents as pages',
  reads: ['render', 'control'],
  writes: ['pages', 'discovered', 'results', 'robots', 'responses', 'dead-letters'],
  stores: [],
  options,
  contactsSites: true,
  findsLinks: true,
  holds: holdsNothing,
  start: async (context, given) => (await import('./start-render.ts')).startRender(context, given),
});
