/**
 * The position of a webhook: `webhook.json` in its crawl's folder. The next request is recorded before it is posted,
 * so that after a kill the same events are posted once more under the same id.
 */
import { z } from 'zod';
import { CrawlstreamError } from '../../../../topology/errors.ts';
import type { Documents } from '../documents/documents.ts';
import { beginning, type EventPosition, positionOf, positionText } from '../events/event-position.ts';

export interface WebhookPlace {
  /** Events before this position were accepted. */
  readonly delivered: EventPosition;
  /** Events up to this position are being posted, or were when the process ended. null: none. */
  readonly sending: EventPosition | null;
}

const position = z.string().transform((text, context): EventPosition => {
  const read = positionOf(text);
  if (read !== undefined) return read;
  context.addIssue({ code: 'custom', message: `${text} is not a position` });
  return z.NEVER;
});
const fileSchema = z.object({ format: z.literal(1), delivered: position, sending: position.nullable() });
const keyOf = (crawl: string) => `crawls/${crawl}/webhook.json`;

export async function readPlace(fleet: Documents, crawl: string): Promise<WebhookPlace> {
  const key = keyOf(crawl);
  try {
    const text = await fleet.get(key);
    if (text === undefined) return { delivered: beginning, sending: null };
    const { delivered, sending } = fileSchema.parse(JSON.parse(text));
    return { delivered, sending };
  } catch (error) {
    if (error instanceof CrawlstreamError && error.retriable) throw error;
    const remedy = 'delete it; all events are then posted again';
    const message = `${fleet.placeOf(key)} cannot be read (${(error as Error).message.split('\n')[0]}): ${remedy}`;
    throw new CrawlstreamError('DATA_FOLDER_FOREIGN', message, error);
  }
}

/** Writes the position: atomic, and durable once it resolves. */
export function writePlace(fleet: Documents, crawl: string, { delivered, sending }: WebhookPlace): Promise<void> {
  const place = sending === null ? null : positionText(sending);
  const text = `${JSON.stringify({ format: 1, delivered: positionText(delivered), sending: place })}\n`;
  return fleet.put(keyOf(crawl), text);
}
