/** `judge` grades a real visit: our own crawl, by proxy-less name resolution, and one page fetched through it as a proxy. */
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { lastJson, runCommand, startCommand } from '../../../../lab/process/command.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';

const data = join(temporaryFolder(), 'data');

test('judge invites our crawl, observes it, and finds every rule kept', async () => {
  const flags = ['--hosts', '20', '--pages', '5', '--delay', '60ms', '--crawl-delay', '200ms', '--quiet', '10s'];
  const judge = startCommand(['judge', '--listen', '127.0.0.1:0', '--json', ...flags]);
  while (!judge.output().includes('The card comes')) {
    await sleep(50);
    assert.equal(judge.child.exitCode, null, judge.output());
  }
  const [, port] = /is up on 127\.0\.0\.1:(\d+)/.exec(judge.output())!;
  const seeds = judge.output().match(/http:\/\/h\S+/g)!;
  assert.equal(await throughProxy(Number(port), `${seeds[0]}robots.txt`), 200);
  const pace = ['--delay', '60ms', '--retries', '0.1s,0.2s', '--scope', 'all'];
  const crawl = await runCommand(['crawl', ...seeds, '--resolve', `*.test:${port}:127.0.0.1`, ...pace, '--data', data]);
  assert.equal(crawl.code, 0, crawl.stderr);
  const ended = await judge.ended;
  const { rows, hosts, passed, of } = lastJson(ended) as unknown as {
    rows: { ok: boolean | null; rule: string; details: string[] }[];
  } & Record<string, number>;
  assert.equal(hosts, 20);
  const wrong = rows.filter(({ ok }) => ok === false);
  assert.deepEqual(
    wrong.map(({ rule, details }) => [rule, ...details]),
    [],
  );
  assert.deepEqual([passed, ended.code], [of, 0]);
  assert.match(ended.stdout, new RegExp(`\\n${of} of ${of} rules kept\\n`));
});

/** Status of a URL, asked for in absolute form. */
function throughProxy(port: number, url: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, path: url, headers: { host: new URL(url).host } }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0));
    });
    asked.on('error', reject).end();
  });
}
