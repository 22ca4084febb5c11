/** What a fetch worker loads to start: each one that dies is replaced, and a crawl with sixty starts sixty. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Duplex } from 'node:stream';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { channelFd } from '../../../../services/application/workers/worker-limits.ts';
import { createChannel } from '../../../../services/runtime/log/channel/message-channel.ts';

const program = fileURLToPath(new URL('../../../../services/application/workers/fetch-worker.ts', import.meta.url));
/** Prints the address of each module that is loaded. */
const hooks = `import { writeSync } from 'node:fs';
export async function load(url, context, next) { writeSync(1, url + '\\n'); return next(url, context); }`;
const asModule = (source: string) => `data:text/javascript,${encodeURIComponent(source)}`;

test('a worker loads only its fetcher: no frontier, stores, consumers, languages or SOCKS', async () => {
  const register = asModule(`import { register } from 'node:module'; register(${JSON.stringify(asModule(hooks))});`);
  const child = spawn(process.execPath, ['--import', 'tsx', '--import', register, program], {
    stdio: ['ignore', 'pipe', 'inherit', 'ignore', 'pipe'],
  });
  const loaded: string[] = [];
  createInterface({ input: child.stdout! }).on('line', (line) => loaded.push(line.replace(/\?.*$/, '')));
  const channel = createChannel(child.stdio[channelFd] as Duplex, {}, (error) => assert.fail(error as Error));
  await channel.call('stop');
  channel.close();
  await once(child, 'close');
  const loads = (path: string) => loaded.filter((url) => url.includes(path));
  assert.ok(loads('/services/fetcher/fetcher.ts').length > 0, loaded.join('\n'));
  for (const path of [
    '/services/frontier/',
    '/topology/frontier/partition.ts',
    '/services/runtime/store/',
    '/services/extras/',
    '/node_modules/franc/',
    '/node_modules/socks/',
  ])
    assert.deepEqual(loads(path), [], path);
});
