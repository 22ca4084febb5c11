/** What does not hold for a fleet on Kafka, or for a crawl of one, is refused by name before a broker is asked. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { runCommand } from '../../../../../lab/process/command.ts';
import { temporaryFolder } from '../../../runtime/store/temporary-folder.ts';

test('unsupported options on Kafka are refused by name, and so are roles of a fleet’s crawl', async () => {
  const data = temporaryFolder();
  const place = ['--brokers', '127.0.0.1:1', '--data', data];
  const kept = temporaryFolder();
  mkdirSync(join(kept, 'crawls', 'docs'), { recursive: true });
  writeFileSync(join(kept, 'crawls', 'docs', 'fleet.json'), '{}');
  const fleet = ['fleet', ...place, '--http', '0'];
  const cases: readonly (readonly [args: readonly string[], says: RegExp])[] = [
    [[...fleet], /--fleet is missing: give the name/],
    [['fleet', '--data', data, '--http', '0', '--fleet', 'f'], /--brokers is missing/],
    [
      ['fleet', '--data', data, '--http', '0', '--role', 'frontier'],
      /--brokers is missing: --fleet, --registry and --role/,
    ],
    [
      ['fleet', ...place, '--fleet', 'f', '--role', 'fetcher', '--owners', 'o.yaml'],
      /--owners has no effect with --role/,
    ],
    [['fleet', ...place, '--fleet', 'f', '--role', 'fetcher'], /contact/],
    [[...fleet, '--fleet', 'f', '--role', 'cook'], /--role "cook": give one of frontier, fetcher, consumers/],
    [
      [...fleet, '--fleet', 'f', '--role', 'consumers'],
      /--with is missing: with --role consumers, list the consumers to run/,
    ],
    [[...fleet, '--fleet', 'f', '--with', 'dedup'], /--with works only with --role consumers/],
    [
      [...fleet, '--fleet', 'f', '--role', 'consumers', '--with', 'render'],
      /render is not a consumer of a fleet: use some of archive,dedup,graph,index/,
    ],
    [[...fleet, '--fleet', 'a.b'], /--fleet.*use at most 60 letters, digits and -/],
    [
      [...fleet, '--fleet', 'f', '--keep', '1h'],
      /--keep cannot be used with --brokers: a fleet on Kafka does not drop/,
    ],
    [[...fleet, '--fleet', 'f', '--snapshot-every', '1h'], /--snapshot-every cannot be used with --brokers/],
    [
      ['crawl', 'https://example.org/', ...place, '--crawl', 'f.c', '--contact', 'me@example.org'],
      /crawl c of (?:the )?fleet f/,
    ],
    [['frontier', ...place, '--crawl', 'f.c'], /crawl c of fleet f, and only the fleet may run it/],
    [
      ['fetcher', '--brokers', '127.0.0.1:1', '--crawl', 'f.c', '--contact', 'me@example.org'],
      /crawl c of (?:the )?fleet f/,
    ],
    [['stats', '--brokers', '127.0.0.1:1', '--crawl', 'f.c.d'], /--crawl.*for a crawl of a fleet, FLEET\.CRAWL/],
  ];
  const ended = await Promise.all(cases.map(([args]) => runCommand(args)));
  for (const [at, [args, says]] of cases.entries()) {
    assert.match(ended[at]!.stderr, says, args.join(' '));
    assert.equal(ended[at]!.code, 2, args.join(' '));
  }
});
