/** The history of a URL. */
import { defineExtension } from '../../application/extension/extension.ts';

export const extension = defineExtension({
  name: 'story',
  about: 'prints and draws everything that happened to a URL',
  commands: [
    {
      names: ['story'],
      group: 'Ask a crawl:',
      load: async () => (await import('./command/story-command.ts')).addStoryCommand,
    },
  ],
  examples: { story: ['https://example.org/ --data crawl-data/example.org --svg story.svg'] },
});
