/** URLs that others report as new or changed. */
import { defineExtension } from '../../application/extension/extension.ts';

export const extension = defineExtension({
  name: 'push',
  about: 'takes new and changed URLs from others: POST /urls, IndexNow and WebSub',
  crawlPart: async () => (await import('./command/push-part.ts')).openPush(),
});
