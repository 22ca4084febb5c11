/** Checks a recorded crawl against the rules of politeness. */
import { defineExtension } from '../../application/extension/extension.ts';

export const extension = defineExtension({
  name: 'audit',
  about: 'checks from its records that a crawl was polite, and which pages sites still permit',
  uses: ['fleet'],
  commands: [
    {
      names: ['audit'],
      group: 'Ask a crawl:',
      load: async () => (await import('./command/audit-command.ts')).addAuditCommand,
    },
    {
      names: ['recheck'],
      group: 'Ask a crawl:',
      load: async () => (await import('./command/recheck-command.ts')).addRecheckCommand,
    },
  ],
  examples: {
    audit: ['--data crawl-data/example.org', '--host example.org --data crawl-data/example.org'],
    recheck: [
      '--uses ai-train --data crawl-data/example.org',
      '--uses ai-train,search --page-age 7d --list recheck.jsonl --data crawl-data/example.org',
    ],
  },
});
