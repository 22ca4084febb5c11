/**
 * What owners have used today: `owners/NAME.json` beside a fleet's crawls. It notes of each crawl how much of it was added
 * up, so that after a kill what came since is added, once.
 */
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { CrawlstreamError } from '../../../topology/errors.ts';

const amounts = z.object({ pages: z.number(), bytes: z.number() });
export type Amounts = z.output<typeof amounts>;

const fileSchema = z.object({
  format: z.literal(1),
  /** UTC, as 2026-11-25. */
  day: z.string(),
  used: amounts,
  /** By crawl: what of it was added up, on whatever day. */
  crawls: z.record(z.string(), amounts),
});
export type Usage = z.output<typeof fileSchema>;

const folderName = 'owners';

/** `fleet`: its folder. */
export async function readUsage(fleet: string, owner: string): Promise<Usage> {
  const path = join(fleet, folderName, `${owner}.json`);
  try {
    return fileSchema.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      return { format: 1, day: '', used: { pages: 0, bytes: 0 }, crawls: {} };
    const message = `${path} cannot be read (${(error as Error).message.split('\n')[0]}): remove it, and ${owner} begins its day anew`;
    throw new CrawlstreamError('DATA_FOLDER_FOREIGN', message, error);
  }
}

/** In one step. */
export async function writeUsage(fleet: string, owner: string, usage: Usage): Promise<void> {
  const folder = join(fleet, folderName);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, `${owner}.json`);
  await writeFile(`${path}.new`, `${JSON.stringify(usage)}\n`, { mode: 0o600 });
  await rename(`${path}.new`, path);
}
