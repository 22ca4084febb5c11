/** `--clients`: programs by others lease this crawl's URLs, and fetch instead of our fetchers, or beside them. */
import type { Command } from 'commander';
import { oneOf } from '../../../cli/flags/arguments.ts';
import { setting } from '../../../cli/flags/setting.ts';
import { addClientsGrpcOptions } from './clients-grpc.ts';
import { clientsChoices } from './lending-of.ts';

export function addClientsOption(command: Command): Command {
  command.addOption(
    setting(
      '--clients <how>',
      'let external clients fetch URLs: instead of the fetcher (only), or beside it (beside)',
      'a crawl fetches its own pages',
      oneOf('--clients', clientsChoices),
    ).forOneRun(),
  );
  return addClientsGrpcOptions(command);
}
