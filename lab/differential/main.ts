/**
 * `npm run differential -- [--answers N] [--seed S] [--only TEXT]`
 *
 * Serves N odd answers on loopback. The crawler, curl, wget, Node's fetch and, if installed, headless Chromium read
 * them. Three kinds of difference are findings: an answer that two of the others read and the crawler does not; an
 * answer that only the crawler reads; a page with another title or other links than in the browser. Each finding is
 * reduced to the fewest oddities that show it. `--only`: answers with TEXT in their name. Exit code 1: a finding has no
 * reason in accepted.ts.
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
