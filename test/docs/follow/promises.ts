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
    sentence: "checks afterwards from the servers' own records that every page was\nfetched, once, politely",
    command: /^npm ci && npm start$/,
    prints: /pages/,
  },
  {
    page: 'docs/tutorial.md',
    sentence: 'how a URL is spelt and why',
    command: /check url/,
    prints: /http:\/\/www\.example\.com\/b\/~foo\/\?a=1&b=2\n/,
  },
  {
    page: 'docs/tutorial.md',
    sentence: 'The command says that `--max-pages` has changed; nothing else has.',
    command: /--max-pages 400/,
    prints: /maxPages|pageQuota|max-pages|200 → 400/,
  },
  {
    page: 'docs/tutorial.md',
    sentence: 'It says what it will do (seeds, scope, delay, limits)',
    command: /crawl https:\/\/example\.org --max-pages 200/,
    prints: /seeds[\s\S]*scope[\s\S]*delay[\s\S]*limit/,
  },
  {
    page: 'docs/tutorial.md',
    sentence: 'ends with a summary and with commands that answer the next\nquestions',
    command: /crawl https:\/\/example\.org --max-pages 200/,
    prints: /pages fetched[\s\S]*pages: +.* pages --data/,
  },
  {
    page: 'docs/operations.md',
    sentence: "`digest` prints a hash over each partition's logical state, with its position",
    command: /state digest/,
    prints: /partition 0: [0-9a-f]{32} at \d+/,
  },
];
