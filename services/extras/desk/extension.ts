/** The desk for webmasters. */
import { defineExtension } from '../../application/extension/extension.ts';

export const extension = defineExtension({
  name: 'desk',
  about: 'serves a page where site owners see, slow, pause or remove their host',
  uses: ['audit'],
  commands: [
    {
      names: ['desk'],
      group: 'Ask a crawl:',
      load: async () => (await import('./command/desk-command.ts')).addDeskCommand,
    },
  ],
  examples: { desk: ['--data crawl-data/example.org --origin https://desk.example.org --contact bot@example.org'] },
});
