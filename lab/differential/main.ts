/**
 * `npm run differential -- [--answers N] [--seed S] [--only TEXT]`
 *
 * Serves N odd answers on loopback and has them read by the crawler, curl, wget, Node's fetch and, where one is installed,
 * headless Chromium. An answer that two of the others read and the crawler does not is a finding, as is one that the crawler
 * alone reads, and a page whose title or links differ from the browser's. Each is reduced to the fewest oddities that show it.
 * `--only`: answers whose name holds TEXT. Exit code 1: there is a finding without a reason in accepted.ts.
 */
import { parseArgs } from 'node:util';
import { findDifferences } from './run.ts';

const { values } = parseArgs({
  options: {
    answers: { type: 'string', default: '2000' },
    seed: { type: 'string', default: '1' },
    port: { type: 'string', default: '21080' },
    only: { type: 'string', default: '' },
  },
});
const { asked, readers, findings, accepted } = await findDifferences({
  answers: Number(values.answers),
  seed: Number(values.seed),
  port: Number(values.port),
  only: values.only,
  program: new URL('../../dist/bundle/crawlstream.js', import.meta.url).pathname,
});
for (const { sort, names, example } of findings)
  process.stdout.write(`${sort}\n  ${names.join('\n  ')}\n  for example: ${example}\n`);
for (const [reason, count] of accepted) process.stdout.write(`accepted ${count}: ${reason}\n`);
process.stdout.write(`${asked} answers, read by ${readers.join(', ')}: ${findings.length} unexplained differences\n`);
process.exitCode = findings.length === 0 ? 0 : 1;
