/** What the pages promise that a command prints: the sentence of the page, which must still be there, and how it is known. */
export interface Promised {
  readonly page: string;
  /** Of the page, word for word. */
  readonly sentence: string;
  /** The command that it speaks of. */
  readonly command: RegExp;
  readonly prints: RegExp;
}

export const promises: readonly Promised[] = [
  {
    page: 'README.md',
    sentence: "it checks against the servers' records that every page was fetched once, and politely",
    command: /^npm ci && npm start$/,
    prints: /pages/,
  },
  {
    page: 'docs/tutorial.md',
    sentence: 'what the normal form of a URL is',
    command: /check url/,
    prints: /http:\/\/www\.example\.com\/b\/~foo\/\?a=1&b=2\n/,
  },
  {
    page: 'docs/tutorial.md',
    sentence: 'It prints that `--max-pages` has changed. All other options stay as they were.',
    command: /--max-pages 400/,
    prints: /maxPages|pageQuota|max-pages|200 → 400/,
  },
  {
    page: 'docs/tutorial.md',
    sentence: 'The command first prints what it will do: seeds, scope, delay, limits.',
    command: /crawl https:\/\/example\.org --max-pages 200/,
    prints: /seeds[\s\S]*scope[\s\S]*delay[\s\S]*limit/,
  },
  {
    page: 'docs/tutorial.md',
    sentence: 'At the end it prints a summary, and commands\nfor the next questions',
    command: /crawl https:\/\/example\.org --max-pages 200/,
    prints: /pages fetched[\s\S]*pages: +.* pages --data/,
  },
  {
    page: 'docs/operations.md',
    sentence: "`digest` prints a hash of each partition's logical state, with its position",
    command: /state digest/,
    prints: /partition 0: [0-9a-f]{32} at \d+/,
  },
];
