/** The archive of a crawl, in its data folder. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CrawlstreamError } from '../../../../topology/errors.ts';
import { readDataFolder } from '../../../runtime/data-folder/data-folder.ts';
import { inShell } from '../../../runtime/in-shell.ts';
import { ownName } from '../../../runtime/own-name.ts';

/** Returns the folder. Throws INVALID_ARGUMENT, with what to do, if the crawl has no archive or the folder no crawl. */
export async function archiveOf(data: string): Promise<string> {
  const archive = join(data, 'archive');
  if (existsSync(archive)) return archive;
  await readDataFolder(data);
  const command = `${ownName()} crawl --data ${inShell(data)} --with archive`;
  throw new CrawlstreamError(
    'INVALID_ARGUMENT',
    `there is no archive in ${data}: pages are archived only while the crawl runs with it, as in ${command}`,
  );
}
