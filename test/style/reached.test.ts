import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { it } from 'node:test';
import { testsReaching } from '../mutation/imports.ts';
import { root, testFiles } from '../run/files.ts';

/** Core files that no unit test of their own part reaches, each with the behaviour test that covers it. */
const elsewhere: Readonly<Record<string, string>> = {
  'services/application/access.ts': 'test/kafka/secured.integration.test.ts',
  'topology/frontier/ask/queries.ts': 'test/services/frontier/query/queries.test.ts',
  'topology/frontier/decide/pull/list-queue.ts': 'test/services/extras/urlfrontier/api.test.ts',
  'topology/frontier/transfer/dump-line.ts': 'test/services/frontier/transfer/transfer.test.ts',
  'topology/frontier/transfer/dump-state.ts': 'test/services/frontier/transfer/transfer.test.ts',
  'topology/frontier/transfer/load-changes.ts': 'test/services/frontier/transfer/transfer.test.ts',
  'topology/frontier/transfer/load-step.ts': 'test/services/frontier/transfer/transfer.test.ts',
  'topology/frontier/transfer/parse-dump-line.ts': 'test/services/frontier/transfer/transfer.test.ts',
  'topology/policy/budget.ts': 'test/topology/frontier/decide/links/budgets.test.ts',
  'topology/timeline/commit-events.ts': 'test/services/cli/hindsight.integration.test.ts',
  'topology/timeline/record-events.ts': 'test/services/cli/hindsight.integration.test.ts',
  'topology/timeline/discoveries.ts': 'test/services/cli/hindsight.integration.test.ts',
  'topology/timeline/timeline-event.ts': 'test/services/cli/hindsight.integration.test.ts',
  'topology/topics.ts': 'test/services/application/topology.test.ts',
  'topology/extras/what-if/virtual-crawl.ts': 'test/services/cli/hindsight.integration.test.ts',
  'topology/extras/what-if/what-if.ts': 'test/services/cli/hindsight.integration.test.ts',
};

it('each file of the core is reached by a unit test at its mirrored path, or names one', () => {
  const reaching = testsReaching(testFiles('unit'));
  const files = (readdirSync(join(root, 'topology'), { recursive: true }) as string[])
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts'))
    .map((name) => join('topology', name));
  assert.ok(files.length > 200);
  const missing: string[] = [];
  for (const file of files) {
    const named = elsewhere[file];
    // The list of boundaries holds them (test/boundaries).
    if (file.endsWith('limits.ts')) continue;
    // Nothing but types: it has no behaviour.
    if (!/^(?:export )?(?:async )?(?:const|let|function|class)\b/m.test(readFileSync(join(root, file), 'utf8')))
      continue;
    // Its own folder's, or one further up to the part: test/topology/frontier for topology/frontier/decide/leases.
    const part = file.split('/').slice(0, 2).join('/');
    let folder = dirname(file);
    const own: string[] = [folder];
    while (folder !== part && folder !== '.' && folder.startsWith(part)) own.push((folder = dirname(folder)));
    const isOwn = (test: string) => own.some((one) => dirname(test) === `test/${one}`);
    if (named !== undefined) assert.ok(existsSync(join(root, named)), `${named} is there`);
    else if (!reaching(file).some(isOwn)) missing.push(file);
  }
  assert.deepEqual(missing, []);
});
