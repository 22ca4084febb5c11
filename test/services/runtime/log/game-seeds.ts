/** Seeds of random games: a few of them in unit tests, as many as `CRAWLSTREAM_TEST_CONCURRENT_SEEDS` says in long runs. */
export function gameSeeds(usual: number): number[] {
  const first = Number(process.env['CRAWLSTREAM_TEST_CONCURRENT_FIRST'] ?? 1);
  const count = Number(process.env['CRAWLSTREAM_TEST_CONCURRENT_SEEDS'] ?? usual);
  if (!(count > 0 && Number.isInteger(first))) throw new Error(`no seeds: ${count} from ${first} on`);
  return Array.from({ length: count }, (_, at) => first + at);
}
