/** Pushes, as `crawl` and `frontier` take them. */
import type { CrawlPart } from '../../../application/extension/crawl-part.ts';
import { openWebsub } from '../open-websub.ts';
import { pushRoutes } from '../push-routes.ts';
import type { Websub } from '../websub.ts';
import { websubRoutes } from '../websub-routes.ts';
import { addCallbackOption, type CallbackFlags } from './callback-flag.ts';

export function openPush(): CrawlPart {
  let websub: Websub | undefined;
  return {
    addOptions: addCallbackOption,
    routes: [...pushRoutes, ...websubRoutes(() => websub)],
    async start({ options, ...crawl }) {
      const { callback } = options as CallbackFlags;
      if (callback === undefined) return undefined;
      // Subscriptions belong to this process, since the callback leads only to it.
      const opened = await openWebsub(crawl, callback);
      websub = opened;
      return (signal) => opened.keep(signal);
    },
  };
}
