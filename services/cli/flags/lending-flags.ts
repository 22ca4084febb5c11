/** `--clients`: programs of others lease this crawl's URLs, and fetch in the place of our fetchers, or beside them. */
import type { Command } from 'commander';
import { clientsChoices } from '../../hosting/options/lending.ts';
import { oneOf } from './arguments.ts';
import { addClientsGrpcOptions } from './clients-grpc.ts';
import { setting } from './setting.ts';

export function addClientsOption(command: Command): Command {
  command.addOption(
    setting(
      '--clients <how>',
      'external clients fetch URLs: only they (only), or beside our fetcher (beside)',
      'a crawl fetches its own pages',
      oneOf('--clients', clientsChoices),
    ),
  );
  return addClientsGrpcOptions(command);
}
