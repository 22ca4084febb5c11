/**
 * How far a webhook is: `webhook.json` in its crawl's folder. What is about to be posted is written before it is, so that
 * after a kill the same events go out once more under the same id.
 */
import { open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { beginning, type EventPosition, positionOf, positionText } from '../events/event-position.ts';

export interface WebhookPlace {
  /** What is before it was taken. */
  readonly delivered: EventPosition;
  /** What is before it is being posted, or was when the process ended. null: nothing is. */
  readonly sending: EventPosition | null;
}

const position = z.string().transform((text, context): EventPosition => {
  const read = positionOf(text);
  if (read !== undefined) return read;
  context.addIssue({ code: 'custom', message: `${text} is no position` });
  return z.NEVER;
});
const fileSchema = z.object({ format: z.literal(1), delivered: position, sending: position.nullable() });
const fileName = 'webhook.json';

/** `folder`: of the crawl. */
export async function readPlace(folder: string): Promise<WebhookPlace> {
  const path = join(folder, fileName);
  try {
    const { delivered, sending } = fileSchema.parse(JSON.parse(await readFile(path, 'utf8')));
    return { delivered, sending };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { delivered: beginning, sending: null };
    const remedy = 'remove it, and all events are posted again';
    const message = `${path} cannot be read (${(error as Error).message.split('\n')[0]}): ${remedy}`;
    throw new CrawlstreamError('DATA_FOLDER_FOREIGN', message, error);
  }
}

/** In one step, and on the disk. */
export async function writePlace(folder: string, { delivered, sending }: WebhookPlace): Promise<void> {
  const path = join(folder, fileName);
  const handle = await open(`${path}.new`, 'w', 0o600);
  try {
    const told = sending === null ? null : positionText(sending);
    await handle.writeFile(`${JSON.stringify({ format: 1, delivered: positionText(delivered), sending: told })}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(`${path}.new`, path);
}
