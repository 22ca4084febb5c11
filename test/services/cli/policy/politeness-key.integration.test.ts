/** Hosts of a domain share one wait, where the policy says so: on the wire, and in the audit. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { runCommand } from '../../../../lab/process/command.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';
import { startSmallWeb } from '../small-web.ts';

test('requests to all hosts of a domain keep the delay among them, one at a time, and the audit checks that', async () => {
  const web = await startSmallWeb({ preset: 'plain', hosts: 6, pagesPerHost: 4, domains: 2, linksPerPage: 8 });
  const data = ['--data', join(temporaryFolder(), 'data')];
  const args = [...web.crawlArguments, ...data, '--partitions', '1', '--delay', '100ms', '--politeness', 'domain'];
  const { code, stderr } = await runCommand(args);
  assert.equal(code, 0, stderr);
  for (const domain of [0, 1]) {
    const requests = [...web.web.requests()].filter(({ host }) => host % 2 === domain);
    requests.sort((a, b) => a.startMs - b.startMs);
    assert.ok(requests.length >= 12, `${requests.length} requests`);
    for (const [at, { startMs, path }] of requests.entries())
      if (at > 0)
        assert.ok(startMs - requests[at - 1]!.endMs >= 99.5, `${path}: ${startMs - requests[at - 1]!.endMs} ms`);
  }
  const kept = await runCommand(['audit', ...data]);
  assert.match(kept.stdout, /violations +0\n/);
});
