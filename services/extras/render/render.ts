/**
 * The renderer as a consumer of `render`: a browser beside the crawl. Its requests are as polite as those for pages.
 */
import { z } from 'zod';
import { holdsNothing } from '../../application/processor/holding.ts';
import { wholeNumber } from '../../application/processor/option.ts';
import { declareProcessor, type OptionMeta } from '../../application/processor/processor.ts';
import { renderLimits } from './render-limits.ts';

const options = z.object({
  browser: z
    .string()
    .optional()
    .meta({
      value: '<path>',
      about: 'chromium program that renders pages (default: chromium in PATH)',
      reason: 'most pages need no browser, and the installed one fits',
    } satisfies OptionMeta),
  screenshots: wholeNumber(renderLimits.screenshotPxMin, renderLimits.screenshotPxMax)
    .optional()
    .meta({
      value: '<px>',
      about: 'keep a screenshot with the record of each rendered page, so many pixels wide, as in 640',
      reason: 'at 640 pixels it adds about 40 kB to each record',
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
