/** Pages that need a browser. */
import { defineExtension } from '../../application/extension/extension.ts';
import { render } from './render.ts';

export const extension = defineExtension({
  name: 'render',
  about: 'renders pages with scripts in a browser, as politely as they are fetched',
  consumers: [render],
  checks: async (env) => [(await import('./check-browser.ts')).checkBrowser(env)],
  examples: { render: ['--brokers localhost:9092 --crawl news --contact me@example.org'] },
});
