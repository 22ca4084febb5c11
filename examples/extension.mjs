/**
 * An extension: a consumer that keeps the title of each page, and what goes with it. It has an option, deletes titles of
 * pages that are taken down, and adds an endpoint (`GET /titles`), a command (`titles`) and a field of the policy
 * (`extras.titles.shortest`, `--shortest-title`), which may change while the crawl runs.
 *
 * Records may come twice after a crash, and pages are fetched again: the last line of a URL counts. A crash may also cut
 * off the last line: its record comes again, and the next lines begin on a line of their own.
 */
import { appendFile, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { definePlugin } from 'crawlstream/plugin';

const name = 'titles';
const fileIn = (folder) => join(folder, 'titles.jsonl');
const lineOf = ([url, title]) => `\n${JSON.stringify({ url, title })}`;

/** Titles by URL. */
async function titlesIn(folder) {
  const text = await readFile(fileIn(folder), 'utf8').catch((error) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  const last = new Map(text.split('\n').flatMap(rowOf));
  return new Map([...last].filter(([, title]) => title !== null));
}

function rowOf(line) {
  try {
    const { url, title } = JSON.parse(line);
    return [[url, title]];
  } catch {
    return [];
  }
}

export default definePlugin({
  name,
  version: '1.0.0',
  policyFields: {
    shortest: {
      schema: { type: 'integer', minimum: 0, maximum: 1000 },
      about: 'Characters that a title needs to be kept.',
      initial: 0,
      flag: {
        name: 'shortestTitle',
        value: '<n>',
        about: 'keep titles of at least n characters (default: 0)',
        reason: 'a short title is a title, too',
      },
    },
  },
  processors: [
    {
      name,
      does: 'keeps the title of each page',
      options: { longest: { about: 'characters of a title that are kept', default: '200' } },
      holds: 'pages',
      open({ options, folder }) {
        return {
          async handle(batch, { policy }) {
            // A page that was fetched again may have a shorter title now: null takes the old one back.
            const rows = batch.map(({ value: { url, title } }) => [
              url,
              title.length < policy.shortest ? null : title.slice(0, Number(options.longest)),
            ]);
            await appendFile(fileIn(folder), rows.map(lineOf).join(''));
          },
          async forget(urls) {
            const titles = await titlesIn(folder);
            for (const url of urls) titles.delete(url);
            await writeFile(`${fileIn(folder)}.new`, [...titles].map(lineOf).join(''));
            await rename(`${fileIn(folder)}.new`, fileIn(folder));
          },
        };
      },
    },
  ],
  routes: [
    {
      method: 'GET',
      path: '/titles',
      async handle({ query }, { part }) {
        const titles = [...(await titlesIn(part(join('plugins', name))))];
        const wanted = titles.filter(([, title]) => title.includes(query.with ?? ''));
        return { body: { titles: Object.fromEntries(wanted) } };
      },
    },
  ],
  commands: [
    {
      names: ['titles'],
      group: 'Ask a crawl:',
      load: async () => (program) => {
        program
          .command('titles')
          .description('print the titles of pages')
          .requiredOption('--data <dir>', 'data folder of the crawl')
          .action(async ({ data }) => {
            const titles = await titlesIn(join(data, 'plugins', name));
            for (const [url, title] of titles) console.log(`${url}\t${title}`);
          });
      },
    },
  ],
});
