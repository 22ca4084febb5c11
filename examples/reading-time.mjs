/** Says in each page's description how long it takes to read, and keeps pages without a word to themselves. */
import { definePlugin } from 'crawlstream/plugin';

const wordsAMinute = 230;

export default definePlugin({
  name: 'reading-time',
  version: '1.0.0',
  page(page) {
    const words = page.text.split(/\s+/).filter((word) => word !== '').length;
    if (words === 0) return null;
    const minutes = Math.max(1, Math.round(words / wordsAMinute));
    return { ...page, description: `${page.description} (${minutes} min)`.trim() };
  },
});
