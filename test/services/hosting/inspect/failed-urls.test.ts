/** `pages --failed` over many hosts that were given up. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { printFailures } from '../../../../services/hosting/inspect/failed-urls.ts';
import { everyChange } from '../../../topology/frontier/changes/every-change.ts';
import { memoryCrawl } from '../../cli/inspect/memory-crawl.ts';

test('the failures of any number of dead hosts are listed in one reading of why hosts failed', async () => {
  const readingsFor = async (hosts: number) => {
    const { crawl, readings, policy, result, commit, close } = await memoryCrawl();
    await policy();
    for (let n = 0; n < hosts; n++) {
      const [hostKey, url] = [`h${n}.test`, `http://h${n}.test/page`];
      await result({ url: `http://h${n}.test/`, kind: 'connectionFailed', detail: `refused by ${n}` });
      const { record } = everyChange.abandon[0]!;
      await commit(hostKey, [{ kind: 'abandon', hostKey, record: { ...record, url } }]);
    }
    const lines: string[] = [];
    await printFailures(crawl, true, async (line) => lines.push(line) > 0, '--data d');
    await close();
    const given = lines.map((line) => JSON.parse(line)).filter(({ url }) => url.endsWith('/page'));
    assert.deepEqual(
      given.map(({ detail }) => detail),
      Array.from({ length: hosts }, (_, n) => `given up with its host: refused by ${n}`),
    );
    return readings.filter((topic) => topic === 'c.results').length;
  };
  assert.equal(await readingsFor(40), await readingsFor(1));
});
