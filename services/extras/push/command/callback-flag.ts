/** `--callback`: the address at which hubs reach this crawl, and the subscriber. */
import type { Command } from 'commander';
import { CrawlstreamError } from '../../../../topology/errors.ts';
import { canParse } from '../../../../topology/url/can-parse.ts';
import { setting } from '../../../cli/flags/setting.ts';

export interface CallbackFlags {
  readonly callback?: string;
}

export function addCallbackOption(command: Command): Command {
  return command.addOption(
    setting(
      '--callback <url>',
      'public URL of --http for WebSub pushes, as in https://crawl.example.org',
      'depends on your network; without it, no hub is subscribed to',
      callbackUrl,
    ).forOneRun(),
  );
}

function callbackUrl(value: string): string {
  const url = canParse(value) ? new URL(value) : null;
  if (url !== null && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === '')
    return url.href.replace(/\/$/, '');
  throw new CrawlstreamError('INVALID_ARGUMENT', `--callback ${value}: give an http or https URL without a query`);
}
