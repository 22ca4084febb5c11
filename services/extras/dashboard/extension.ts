/** A crawl in a browser. */
import { defineExtension } from '../../application/extension/extension.ts';

const folder = '--data crawl-data/example.org';

export const extension = defineExtension({
  name: 'dashboard',
  about: 'shows a crawl in a browser: rates, queues, hosts, errors, with calls for operators',
  commands: [
    {
      names: ['dashboard'],
      group: 'First:',
      load: async () => (await import('./command/dashboard-command.ts')).addDashboardCommand,
    },
  ],
  examples: {
    crawl: [`${folder} --dashboard`],
    dashboard: [folder, '--brokers localhost:9092 --crawl news', '--url http://localhost:9464'],
  },
  crawlPart: async () => (await import('./command/dashboard-part.ts')).dashboardPart,
});
