/** Declares the fleet: many crawls in one process, and web tools for agents. */
import { defineExtension } from '../../application/extension/extension.ts';

export const extension = defineExtension({
  name: 'fleet',
  about: 'runs many crawls of many owners behind one HTTP API; serves web pages to agents (MCP)',
  uses: ['archive', 'dashboard', 'export', 'index'],
  commands: [
    {
      names: ['fleet'],
      group: 'Many crawls at once:',
      isService: true,
      load: async () => (await import('./command/fleet-command.ts')).addFleetCommand,
    },
    {
      names: ['mcp'],
      group: 'Many crawls at once:',
      isService: true,
      load: async () => (await import('./command/mcp-command.ts')).addMcpCommand,
    },
  ],
  examples: {
    fleet: ['--data crawl-data/fleet --http 8090 --contact me@example.org'],
    mcp: ['--data crawl-data/agents --sites docs.example.org --contact me@example.org'],
  },
});
