/** `--callback`: the address at which hubs reach this crawl, and the subscriber. */

import type { Command } from 'commander';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { compileAddressGuard } from '../../../topology/fetch/address.ts';
import { canParse } from '../../../topology/url/can-parse.ts';
import { hostKeyOf } from '../../../topology/url/host-key.ts';
import type { FetcherConfig } from '../../fetcher/fetcher-config.ts';
import { agreedIdentities } from '../../fetcher/http/agreed-identity.ts';
import { createHubRequest } from '../../push/hub-request.ts';
import { type PushTarget, pushNews } from '../../push/pushed-urls.ts';
import { Websub } from '../../push/websub.ts';
import type { DataFolder } from '../../runtime/data-folder/data-folder.ts';
import { say } from '../../runtime/logging/say.ts';
import { setting } from '../flags/setting.ts';

export interface WebsubFlags {
  readonly callback?: string;
}

export function addWebsubOption(command: Command): Command {
  return command.addOption(
    setting(
      '--callback <url>',
      'public URL of --http for WebSub pushes, as in https://crawl.example.org',
      'depends on your network; without it, no hub is subscribed to',
      callbackUrl,
    ),
  );
}

interface Subscribing {
  readonly folder: Pick<DataFolder, 'part'>;
  readonly callback?: string | undefined;
  readonly fetcher: FetcherConfig;
}

/** Undefined where hubs cannot reach this process. */
export async function openWebsub(crawl: Subscribing, target: PushTarget): Promise<Websub | undefined> {
  const { folder, callback, fetcher } = crawl;
  if (callback === undefined) return undefined;
  const agreed = agreedIdentities(fetcher, fetcher.requests);
  return Websub.open({
    path: folder.part('websub.json'),
    callback,
    clock: target.clock,
    request: createHubRequest(
      (url) => agreed.userAgentOf(hostKeyOf(url)),
      compileAddressGuard(fetcher.allowPrivate ?? false),
    ),
    push: (news) => pushNews(target, news),
    say: (text) => say(text, 'warn', { component: 'consumers' }),
  });
}

function callbackUrl(value: string): string {
  const url = canParse(value) ? new URL(value) : null;
  if (url !== null && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === '')
    return url.href.replace(/\/$/, '');
  throw new CrawlstreamError('INVALID_ARGUMENT', `--callback ${value}: give an http or https URL without a query`);
}
