/**
 * What `npm install crawlstream` and `npm run prepare` run at their end: starts the built command once for each set of V8's
 * options that it is called with, and keeps the code that V8 compiled (kept-code.ts): a start takes half the time.
 * Where the folder cannot be written, commands start without it.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const script = fileURLToPath(new URL('../../dist/bundle/crawlstream.cjs', import.meta.url));
const compiled = (file) => import(new URL(`../../dist/services/${file}`, import.meta.url).href);

if (process.argv[2] === 'one') {
  const { loadScript } = await compiled('cli/kept-code.js');
  const { putFile } = await compiled('runtime/disk/durable-names.js');
  const { exports, code } = loadScript(script);
  // Runs, and so compiles, the declaration of every command.
  process.argv = [process.execPath, 'crawlstream', '--help'];
  await exports.run();
  const { file, bytes } = code();
  await putFile(file, bytes);
} else if (existsSync(script)) {
  for (const options of [[], ['--max-semi-space-size=32']]) {
    const words = [...options, fileURLToPath(import.meta.url), 'one'];
    const { status } = spawnSync(process.execPath, words, {
      stdio: 'ignore',
      timeout: 60_000,
      env: { CRAWLSTREAM_UMASK: '022' },
    });
    if (status !== 0) process.stderr.write('crawlstream: V8’s code could not be kept, so commands start slower\n');
  }
}
