/** `crawlstream mcp`: tools for agents over a separate fleet, by MCP on stdin and stdout, or by HTTP. */

import { join } from 'node:path';
import type { Command } from 'commander';
import { canParse } from '../../../../topology/url/can-parse.ts';
import type { Use } from '../../../../topology/usage/statement.ts';
import { useList, wholeNumber } from '../../../cli/flags/arguments.ts';
import { setting } from '../../../cli/flags/setting.ts';
import { SystemClock } from '../../../runtime/clock.ts';
import { bad } from '../../../runtime/option-text.ts';
import { searchIndex } from '../../index/search-index.ts';
import { hasIndex, searchFolder } from '../../index/sqlite-index.ts';
import { AgentTools } from '../agents/agent-tools.ts';
import { mcpLimits } from '../agents/mcp-limits.ts';
import { mcpRoutes } from '../agents/mcp-routes.ts';
import { loadMcpPackage, serveStdio } from '../agents/mcp-server.ts';
import type { FleetParts } from '../api/fleet-parts.ts';
import { fleetRoutes } from '../api/fleet-routes.ts';
import { CrawlDashboards } from './crawl-dashboards.ts';
import { addFleetOptions, type FleetFlags } from './fleet-flags.ts';
import { runFleet } from './run-fleet.ts';
import { withMarkdown } from './start-fleet-crawl.ts';

interface McpFlags extends FleetFlags {
  readonly sites?: readonly string[];
  readonly pagesMax: number;
  readonly uses: readonly Use[];
}

export function addMcpCommand(program: Command): void {
  const command = program.command('mcp').description('serve crawl tools to agents by MCP, on stdin or --http');
  addFleetOptions(command)
    .addOption(
      setting(
        '--sites <list>',
        'hosts that agents may crawl and read, with subdomains, as in a.org,b.org (default: any)',
        'any public host; the operator decides',
        siteList,
      ),
    )
    .addOption(
      setting(
        '--pages-max <n>',
        'most pages of one crawl, whatever an agent requests',
        'enough for a manual; a hostile page may ask an agent to crawl the web',
        wholeNumber('--pages-max', 1, 1_000_000),
      ).default(mcpLimits.pagesMax),
    )
    .addOption(
      setting(
        '--uses <list>',
        'intended uses of pages; a page is neither kept nor returned if its site bars one',
        'what an agent reads goes into a model',
        useList('--uses'),
      ).default(['ai-input'] satisfies Use[], 'ai-input'),
    )
    .action(runMcp);
}

async function runMcp(flags: McpFlags): Promise<void> {
  const { sites = null, pagesMax, uses, http } = flags;
  await loadMcpPackage();
  const clock = new SystemClock();
  let tools: AgentTools | undefined;
  const toolsOf = (fleet: () => FleetParts) => () => {
    const { fleet: crawls, reading, explain } = fleet();
    tools ??= new AgentTools({
      ...{ fleet: crawls, clock, reading, bounds: { sites, pagesMax, uses } },
      search: (path, words, limit) => {
        const folder = join(path, 'index');
        return hasIndex(folder) ? searchFolder(folder, words, { limit }) : [];
      },
      explain,
    });
    return tools;
  };
  await runFleet(flags, {
    role: 'mcp',
    dashboards: new CrawlDashboards(),
    routes: (fleet) => [fleetRoutes(fleet), mcpRoutes(toolsOf(fleet))],
    extract: withMarkdown(flags.extract),
    processors: [searchIndex],
    ...(http === undefined && { serve: (fleet, signal) => serveStdio(toolsOf(fleet), signal) }),
  });
}

function siteList(value: string): string[] {
  return value.split(',').map((one) => {
    const site = one.trim().toLowerCase();
    const url = canParse(`http://${site}/`) ? new URL(`http://${site}/`) : null;
    if (url === null || site === '' || url.host !== site)
      throw bad('--sites', one, 'give host names without scheme, port and path, as in example.org');
    return site;
  });
}
