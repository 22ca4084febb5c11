/**
 * The cost of signing requests, and the cost of looking for usage preferences on a page that has none.
 *
 *   npm run bench -- signing [--requests N] [--json]
 *
 * CPU of this process, in µs: for the three headers of one signed request (Ed25519, a nonce each), and for reading a
 * usual response's headers for preferences.
 */
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createSigner } from '../../../services/fetcher/http/web-bot-auth.ts';
import { usageRecord } from '../../../services/fetcher/pages/usage-record.ts';
import { startCost } from '../process/process-cost.ts';

const usual = [
  ...['date', 'Tue, 24 Nov 2026 00:00:00 GMT', 'content-type', 'text/html; charset=utf-8', 'server', 'nginx'],
  ...[
    'cache-control',
    'max-age=600',
    'etag',
    '"5f-1"',
    'last-modified',
    'Mon, 23 Nov 2026 00:00:00 GMT',
    'vary',
    'accept',
  ],
  ...['content-encoding', 'gzip', 'content-length', '12345', 'connection', 'keep-alive', 'x-frame-options', 'DENY'],
];

export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: { requests: { type: 'string', default: '20000' }, json: { type: 'boolean', default: false } },
  });
  const requests = Number(values.requests);
  const folder = mkdtempSync(join(tmpdir(), 'crawlstream-bench-'));
  try {
    const file = join(folder, 'key.pem');
    writeFileSync(file, generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }));
    const signer = createSigner({ key: `file:${file}`, agent: 'https://bot.example.org' }, Date.now());
    const each = (act: (n: number) => unknown) => {
      for (let n = 0; n < requests / 10; n++) act(n);
      const end = startCost();
      for (let n = 0; n < requests; n++) act(n);
      return Number(((1e6 * end().cpuSeconds) / requests).toFixed(2));
    };
    const signUs = each((n) => signer.headers('GET', `https://example.org/page/${n}?q=${n}`, Date.now()));
    const lookUs = each(() => usageRecord([], usual, 'crawlstream'));
    process.stdout.write(`signing: ${signUs} µs of CPU a request; looking for preferences: ${lookUs} µs a page\n`);
    if (values.json) process.stdout.write(`${JSON.stringify({ requests, signUs, lookUs })}\n`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
