/** A recorded crawl under another policy. */
import { defineExtension } from '../../application/extension/extension.ts';

export const extension = defineExtension({
  name: 'what-if',
  about: 'decides a recorded crawl again under another policy',
  commands: [
    {
      names: ['what-if'],
      group: 'Ask a crawl:',
      load: async () => (await import('./command/what-if-command.ts')).addWhatIfCommand,
    },
  ],
  examples: { 'what-if': ['--policy new.yaml --data crawl-data/example.org'] },
});
