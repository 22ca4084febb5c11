/** How long a run strikes, and how long it may take afterwards. */
export const seed = Number(process.env['CRAWLSTREAM_TEST_CHAOS_SEED'] ?? 1);
export const runMs = Number(process.env['CRAWLSTREAM_TEST_CHAOS_MINUTES'] ?? 2) * 60_000;
/** Leases of the dead run out after the last strike, and their URLs are fetched: a busy machine may take its time. */
export const drainMs = 300_000 + 2 * runMs;
