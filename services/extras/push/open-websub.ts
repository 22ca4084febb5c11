/** Subscribes a crawl to the hubs of its feeds. */
import { compileAddressGuard } from '../../../topology/fetch/address.ts';
import { hostKeyOf } from '../../../topology/url/host-key.ts';
import type { FetchingCrawl } from '../../application/extension/crawl-part.ts';
import { agreedIdentities } from '../../fetcher/http/agreed-identity.ts';
import { say } from '../../runtime/logging/say.ts';
import { createHubRequest } from './hub-request.ts';
import { pushNews } from './pushed-urls.ts';
import { Websub } from './websub.ts';

/** `callback`: the address at which hubs reach this process. */
export function openWebsub(crawl: Omit<FetchingCrawl, 'options'>, callback: string): Promise<Websub> {
  const { fetcher, clock } = crawl;
  const agreed = agreedIdentities(fetcher, fetcher.requests);
  return Websub.open({
    path: crawl.part('websub.json'),
    callback,
    clock,
    request: createHubRequest(
      (url) => agreed.userAgentOf(hostKeyOf(url)),
      compileAddressGuard(fetcher.allowPrivate ?? false),
    ),
    push: (news) => pushNews(crawl, news),
    say: (text) => say(text, 'warn', { component: 'consumers' }),
  });
}
