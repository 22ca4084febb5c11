/** Subscribes a crawl to the hubs of its feeds. */
import { compileAddressGuard } from '../../../topology/fetch/address.ts';
import { hostKeyOf } from '../../../topology/url/host-key.ts';
import type { FetcherConfig } from '../../fetcher/fetcher-config.ts';
import { agreedIdentities } from '../../fetcher/http/agreed-identity.ts';
import { createHubRequest } from '../../push/hub-request.ts';
import { type PushTarget, pushNews } from '../../push/pushed-urls.ts';
import { Websub } from '../../push/websub.ts';
import type { DataFolder } from '../../runtime/data-folder/data-folder.ts';
import { say } from '../../runtime/logging/say.ts';

export interface WebsubFlags {
  readonly callback?: string;
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
