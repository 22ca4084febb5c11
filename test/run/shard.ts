/**
 * Runs several test files in one process: `node --import tsx --test-reporter=test/run/reporter.ts test/run/shard.ts FILE ...`
 *
 * What they import is loaded once. Their tests run one after another, as the files are named, and only when all of it is
 * loaded: in a fresh checkout that takes seconds of the processor, in which no test's deadline could be kept.
 */
import { channel } from 'node:diagnostics_channel';
import { join } from 'node:path';
import { before } from 'node:test';
import { pathToFileURL } from 'node:url';
import { root } from './files.ts';

let loaded: (error?: unknown) => void = () => {};
const all = new Promise<unknown>((resolve) => {
  loaded = resolve;
});
before(() => all);
try {
  for (const file of process.argv.slice(2)) await import(pathToFileURL(join(root, file)).href);
} finally {
  // Who measures what tests take begins here.
  channel('crawlstream:tests-loaded').publish(null);
  loaded();
}
