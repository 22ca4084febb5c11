/** Keeps a crawl off the hosts in a file, one a line, and off all hosts below them: BLOCKLIST=blocked.txt. */
import { readFileSync } from 'node:fs';
import { definePlugin } from 'crawlstream/plugin';

const file = process.env.BLOCKLIST ?? 'blocklist.txt';
const blocked = new Set(
  readFileSync(file, 'utf8')
    .split(/\r?\n/)
    .map((line) => line.trim().toLowerCase())
    .filter((line) => line !== '' && !line.startsWith('#')),
);

export default definePlugin({
  name: 'filter-by-list',
  version: '1.0.0',
  urlFilter({ url }) {
    const labels = new URL(url).hostname.split('.');
    return !labels.some((_, at) => blocked.has(labels.slice(at).join('.')));
  },
});
