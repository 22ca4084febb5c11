/** `crawlstream warc wat` and `crawlstream warc wet`: metadata and text of WARC files, for programs that read those. */
import type { Command } from 'commander';
import { counted } from '../../../runtime/counted.ts';
import { makeFolders } from '../../../runtime/disk/make-folders.ts';
import { toStdout } from '../../../runtime/logging/door.ts';
import { productVersion } from '../../../runtime/version.ts';
import { type Derived, derive } from '../derived/derive.ts';
import { derivedPage } from './archived-page.ts';

interface DeriveFlags {
  readonly out: string;
  readonly json?: boolean;
}

export function addDeriveCommands(warc: Command): void {
  const described = {
    wat: 'write the metadata of WARC records and pages as WAT records',
    wet: 'write the text of the pages of WARC files as WET records',
  };
  for (const kind of ['wat', 'wet'] as const) {
    warc
      .command(kind)
      .description(described[kind])
      .argument('<file...>', 'WARC files, compressed or not')
      .requiredOption('--out <dir>', 'folder for the output: one file for each input')
      .option('--json', 'print one line of JSON for each file written: its name and number of records')
      .action((files: string[], flags: DeriveFlags) => deriveAll(kind, files, flags));
  }
}

async function deriveAll(kind: Derived, files: readonly string[], { out, json }: DeriveFlags): Promise<void> {
  await makeFolders(out, { recursive: true });
  for (const file of files) {
    const made = await derive({ kind, file, out, pageOf: derivedPage, software: `crawlstream/${productVersion}` });
    toStdout(json ? `${JSON.stringify(made)}\n` : `${made.file}: ${counted(made.records, 'record')}\n`);
  }
}
