/** `crawlstream state move`: copies a data folder into a new one, on the other storage engine. */
import { type Command, Option } from 'commander';
import { counted } from '../../runtime/counted.ts';
import { copyToStore } from '../../runtime/data-folder/copy-to-store.ts';
import { readDataFolder } from '../../runtime/data-folder/data-folder.ts';
import { type StoreName, storeNames } from '../../runtime/store/open-store.ts';
import { print } from '../terminal/print.ts';

interface MoveFlags {
  readonly data: string;
  readonly into: string;
  readonly store: StoreName;
  readonly json?: boolean;
}

export function addMoveCommand(state: Command): void {
  state
    .command('move')
    .description('copy a data folder into a new one, on the other storage engine')
    .requiredOption('--data <dir>', 'data folder to copy; no process may use it meanwhile')
    .requiredOption('--into <dir>', 'new folder')
    .addOption(
      new Option('--store <name>', 'storage engine: classic-level (LevelDB, in every installation) or rocksdb')
        .choices([...storeNames])
        .default('classic-level' satisfies StoreName),
    )
    .option('--json', 'print one JSON object')
    .action(async ({ data, into, store, json }: MoveFlags) => {
      const folder = await readDataFolder(data);
      const { stores, rows } = await copyToStore(folder, into, store);
      const text = `${into} has the crawl of ${data} on ${store}: ${counted(stores, 'store')}, ${counted(rows, 'row')}. ${data} is unchanged: remove it when you no longer need it.`;
      print({ json: { into, store, stores, rows }, text }, json);
    });
}
