/** The ledger of consent: what an audit finds of each page's uses, by its own reading of what was recorded. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { lastJson, runCommand } from '../../../../lab/process/command.ts';
import { signalUses } from '../../../../lab/web/signals.ts';
import { withFolderLog } from '../../../../services/hosting/connect/folder-log.ts';
import { SystemClock } from '../../../../services/runtime/clock.ts';
import { readDataFolder } from '../../../../services/runtime/data-folder/data-folder.ts';
import { recordsOf } from '../../../../services/runtime/log/records-of.ts';
import { crawlSignals, signalWeb } from './signal-web.ts';

interface LedgerLine {
  readonly url: string;
  readonly uses: Readonly<Record<string, { readonly preference: string; readonly by: string }>>;
  readonly changesAt: string | null;
  readonly wrong: readonly string[];
}

test('an audit derives each page’s permissions from records alone, and agrees with the crawl', async (t) => {
  const web = await signalWeb(t, 11, 100);
  const { data, ended } = await crawlSignals(web);
  assert.equal(ended.code, 0, ended.stderr);
  const ledger = join(data, 'ledger.jsonl');
  const audit = await runCommand([
    'audit',
    '--data',
    data,
    '--uses',
    signalUses.join(','),
    '--ledger',
    ledger,
    '--json',
  ]);
  assert.equal(audit.code, 0, audit.stdout + audit.stderr);
  const lines = readFileSync(ledger, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as LedgerLine);
  assert.equal(lines.length, web.pages.size + web.seeds.length);
  for (const { url, uses, wrong } of lines) {
    assert.deepEqual(wrong, []);
    const page = web.pages.get(url);
    if (page === undefined) continue;
    for (const use of signalUses) {
      assert.equal(uses[use]?.preference, page.truth[use], `${url} ${use}: ${uses[use]?.by}`);
      assert.equal(uses[use]?.by === '', page.truth[use] === 'unknown');
    }
  }
  const { byUse } = lastJson(audit) as { readonly byUse: Record<string, { readonly deny: number }> };
  const denied = [...web.pages.values()].filter(({ truth }) => truth['ai-train'] === 'deny').length;
  assert.equal(byUse['ai-train']?.deny, denied);
  assert.match(audit.stdout, /barred {2}http:.*\n {2}[a-z-]+ by (robots\.txt|header|meta)/);
  assert.ok(
    lines.some(({ changesAt }) => changesAt?.startsWith('2200-01-01')),
    'what changes later is told',
  );
});

test('a page published despite a barred use, and a record that contradicts its statements, are found', async (t) => {
  const web = await signalWeb(t, 11, 40);
  const { data } = await crawlSignals(web, '--uses', 'ai-train');
  const clean = await runCommand(['audit', '--data', data, '--uses', 'ai-train,search']);
  assert.equal(clean.code, 0, clean.stdout);
  const forged = await forgeOnePage(data, web.seeds[0]!);
  const audit = await runCommand(['audit', '--data', data, '--uses', 'search', '--json']);
  assert.equal(audit.code, 1, audit.stdout);
  assert.ok(audit.stdout.includes(`wrong  ${forged}\n`), audit.stdout);
  assert.match(
    audit.stdout,
    /its record has unknown for search, but the audit finds deny \(header x-robots-tag: noindex, noai\)/,
  );
  assert.match(
    audit.stdout,
    /it was published although the policy wants ai-train, which is disallowed by header x-robots-tag/,
  );
  assert.equal((lastJson(audit) as { readonly wrong: number }).wrong, 1);
});

/** Writes the record of a page of that site anew, with a header that its rows do not follow from. */
async function forgeOnePage(data: string, site: string): Promise<string> {
  const folder = await readDataFolder(data);
  const { crawl, partitions } = folder.manifest;
  const topic = `${crawl}.pages`;
  return withFolderLog(folder, new SystemClock(), async ({ log, codec }) => {
    for (let partition = 0; partition < partitions; partition++) {
      const { start, end } = await log.offsets(topic, partition);
      for await (const { value, key } of recordsOf(log, topic, partition, start, end)) {
        await codec.prepare('pages', value);
        const page = codec.decode('pages', value);
        if (!page.url.startsWith(site)) continue;
        const said = { source: 'header x-robots-tag', said: 'noindex, noai', hash: '', fromMs: 0 };
        const usage = [{ ...said, use: 'ai-input', preference: 'deny' }];
        await log.append([{ topic, partition, key, value: codec.encode('pages', { ...page, usage }) }]);
        return page.url;
      }
    }
    throw new Error('no page of that site');
  });
}
