#!/usr/bin/env -S node --max-semi-space-size=32
// A larger young generation (MB): pages and links live just long enough to be copied by a small one. 7 % less CPU.
/**
 * The `crawlstream` command as it is built: one script beside this file. Four fifths of a start are spent on compiling
 * it, so V8's code for it is kept in a file (keep-code.mjs).
 */
import { fileURLToPath } from 'node:url';
import { toStdout } from '../runtime/logging/door.ts';
import { productVersion } from '../runtime/version.ts';
import { loadScript } from './kept-code.ts';
import { stopWithReader } from './terminal/closed-pipe.ts';

const words = process.argv.slice(2);
if (words.length === 1 && (words[0] === '--version' || words[0] === '-V')) {
  stopWithReader();
  toStdout(`${productVersion}\n`);
} else {
  const { exports } = loadScript(fileURLToPath(new URL('./crawlstream.cjs', import.meta.url)));
  await (exports as typeof import('./run-command.ts')).run();
}
