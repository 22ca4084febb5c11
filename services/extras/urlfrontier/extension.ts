/** URLFrontier’s gRPC API. */

import { defineExtension } from '../../application/extension/extension.ts';
import { urlfrontier } from '../../application/processor/declarations.ts';

export const extension = defineExtension({
  name: 'urlfrontier',
  about: 'serves the frontier to other crawlers by URLFrontier’s gRPC API',
  roles: [urlfrontier],
  commands: [
    {
      names: ['urlfrontier'],
      group: 'On Kafka:',
      load: async () => (await import('./command/urlfrontier-command.ts')).addUrlfrontierCommand,
    },
  ],
  examples: { urlfrontier: ['--data crawl-data/urlfrontier'] },
});
