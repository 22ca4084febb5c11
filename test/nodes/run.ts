/**
 * Runs tests under other Nodes than the one at hand: `node --import tsx test/nodes/run.ts [--nodes 22.20.x,24.19.x] [file ...]`.
 *
 * Per Node: fetches it through pip, installs a copy of the checkout with its own npm, runs the files there, and takes a
 * part in handing a folder of each store through all Nodes and back, as an upgrade and a downgrade of Node do. A Node that
 * can't be had is skipped with its reason; whatever fails makes the exit code 1.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { environmentOf, installCheckout } from './checkout.ts';
import { type FetchedNode, fetchNode } from './fetch-node.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { nodes: { type: 'string', default: '22.20.x,24.19.x' } },
});

/** Both contract suites, what lies on native code, and a crawl from end to end. */
const files =
  positionals.length > 0
    ? positionals
    : [
        ...testsIn('test/services/runtime/store'),
        ...testsIn('test/services/runtime/log'),
        'test/services/cli/crawl/crawl.integration.test.ts',
        'test/services/cli/state/two-stores.integration.test.ts',
      ];

function testsIn(folder: string): string[] {
  const names = readdirSync(join(root, folder)).filter((name) => name.endsWith('.test.ts'));
  return names.map((name) => join(folder, name));
}

/** Returns whether all went well. Output goes to the terminal as it comes. */
function run(node: string, cwd: string, args: readonly string[]): boolean {
  return (
    spawnSync(node, ['--import', 'tsx', ...args], { cwd, env: environmentOf(node), stdio: 'inherit' }).status === 0
  );
}

const handedOver = mkdtempSync(join(tmpdir(), 'crawlstream-hand-over-'));
let steps = 0;
/** One folder of each store. */
function handOver(node: string, cwd: string): boolean {
  const step = String(steps++);
  return ['rocksdb', 'classic-level']
    .map((store) => run(node, cwd, ['test/nodes/hand-over.ts', join(handedOver, store), step, store]))
    .every(Boolean);
}

function runUnder(fetched: FetchedNode): boolean {
  let checkout: string | undefined;
  try {
    checkout = installCheckout(root, fetched);
    const tested = run(fetched.node, checkout, ['--test', '--test-reporter=spec', '--test-timeout=360000', ...files]);
    return handOver(fetched.node, checkout) && tested;
  } catch (error) {
    console.error(error);
    return false;
  } finally {
    if (checkout) rmSync(checkout, { recursive: true, force: true });
  }
}

const results: string[] = [];
let failed = !handOver(process.execPath, root);
for (const version of values.nodes.split(',')) {
  const fetched = fetchNode(version);
  if (typeof fetched === 'string') {
    results.push(`Node ${version}: skipped, ${fetched}`);
    continue;
  }
  const passed = runUnder(fetched);
  failed ||= !passed;
  results.push(`Node ${fetched.version}: ${passed ? 'passed' : 'FAILED'}`);
}
const cameBack = handOver(process.execPath, root);
failed ||= !cameBack;
results.push(
  `a folder of each store handed through ${steps} steps and back: ${cameBack ? 'all rows there' : 'FAILED'}`,
);
rmSync(handedOver, { recursive: true, force: true });
console.log(results.join('\n'));
process.exitCode = failed ? 1 : 0;
