/**
 * Runs several test files in one process: `node --import tsx --test-reporter=test/run/reporter.ts test/run/shard.ts FILE ...`
 *
 * What they import is loaded once. Their tests run one after another, as the files are named.
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './files.ts';

for (const file of process.argv.slice(2)) await import(pathToFileURL(join(root, file)).href);
