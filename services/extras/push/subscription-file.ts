/**
 * Stores WebSub subscriptions in a file of the data folder. After a restart they are needed to answer hubs and to renew
 * leases.
 */
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { putFile } from '../../runtime/disk/durable-names.ts';

/** `asked`: the hub has not verified it yet. */
export interface Subscription {
  /** Part of the callback URL, which cannot be guessed. */
  readonly id: string;
  /** The topic's URL, as the hub knows it. */
  readonly topic: string;
  readonly hub: string;
  readonly secret: string;
  readonly state: 'asked' | 'active' | 'denied';
  readonly askedAtMs: number;
  /** The hub's lease ends; 0: not verified yet. */
  readonly expiresAtMs: number;
  readonly pushes: number;
  /** Deliveries with a wrong signature. */
  readonly forged: number;
}

const schema = z.array(
  z.object({
    id: z.string(),
    topic: z.string(),
    hub: z.string(),
    secret: z.string(),
    state: z.enum(['asked', 'active', 'denied']),
    askedAtMs: z.number(),
    expiresAtMs: z.number(),
    pushes: z.number(),
    forged: z.number(),
  }),
);

export async function readSubscriptions(path: string): Promise<Subscription[]> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
  try {
    return schema.parse(JSON.parse(text));
  } catch (error) {
    const message = `${path} is not a valid subscription file: delete it, and subscribe again`;
    throw new CrawlstreamError('INVALID_RECORD', message, error);
  }
}

/** A kill leaves either the old file or the new one. Only its owner may read it, since it holds secrets. */
export async function writeSubscriptions(path: string, subscriptions: readonly Subscription[]): Promise<void> {
  await putFile(path, `${JSON.stringify(subscriptions, null, 2)}\n`, { mode: 0o600 });
}
