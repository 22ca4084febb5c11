/** Schemas of the queries of a fleet's API. Its OpenAPI document contains them. */
import { z } from 'zod';
import { contents } from '../fleet-contents.ts';
import { fleetServiceLimits } from '../fleet-service-limits.ts';

/** A position in the events of a crawl (event-position.ts). */
export const positionSchema = z
  .string()
  .regex(/^\d{1,15}-\d{1,9}(-[0-9a-z]{1,12})?$/, 'send the id of an event, as in 12-1-lk3j2x4a');

export const eventsQuery = z.strictObject({
  from: positionSchema
    .optional()
    .describe('The id of the last event received. The header Last-Event-ID takes precedence.'),
  content: z
    .enum(contents)
    .default('url')
    .describe('Content of page events: the whole record, or URL, status, title and hash.'),
});

export const pagesQuery = z.strictObject({
  cursor: z
    .string()
    .regex(/^\d{1,15}(-[0-9a-z]{1,12})?$/, 'send the X-Cursor header of the previous response')
    .default('0')
    .describe('Start here: X-Cursor of the previous response.'),
  limit: z.coerce.number().int().min(1).max(fleetServiceLimits.pagesMax).default(100).describe('Most pages.'),
});
