/** Tables of pages, URLs, hosts and links. */
import { defineExtension } from '../../application/extension/extension.ts';

export const extension = defineExtension({
  name: 'export',
  about: 'writes pages, URLs, hosts and links as JSON lines, CSV or Parquet',
  uses: ['graph'],
  files: ['exports'],
  commands: [
    {
      names: ['export'],
      group: 'First:',
      load: async () => (await import('./command/export-command.ts')).addExportCommand,
    },
  ],
  examples: { export: ['pages --data crawl-data/example.org --format csv'] },
});
