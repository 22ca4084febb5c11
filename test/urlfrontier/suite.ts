/**
 * `node --import tsx test/urlfrontier/suite.ts CHECKOUT [HOST:PORT]`: URLFrontier's own test suite (`tests` in a checkout of
 * crawler-commons/url-frontier) against `crawlstream urlfrontier`, started for it on an empty folder, or against the server
 * at HOST:PORT of this machine, whose crawls it deletes.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startServed } from '../../lab/urlfrontier/served.ts';
import { buildUpstream, runSuite } from '../../lab/urlfrontier/upstream.ts';

const [checkout, target] = process.argv.slice(2);
if (checkout === undefined) {
  process.stderr.write(`${fileURLToPath(import.meta.url)} CHECKOUT [HOST:PORT]: give a checkout of url-frontier\n`);
  process.exit(2);
}
const upstream = await buildUpstream(checkout);
const folder = await mkdtemp(join(tmpdir(), 'urlfrontier-suite-data-'));
const served = target === undefined ? await startServed(folder) : null;
try {
  const said = await runSuite(checkout, upstream, served?.port ?? Number(target!.split(':').at(-1)));
  process.stdout.write(`URLFrontier ${upstream.version}: ${said}`);
  if (!/^OK \(\d+ tests\)/m.test(said)) process.exitCode = 1;
} finally {
  await served?.stop();
  await rm(folder, { recursive: true, force: true });
}
