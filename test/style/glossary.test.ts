/** Words that the glossary (docs/glossary.md) has replaced: they are no names in the sources any more. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { root } from '../run/files.ts';

/** What was used → the field's word. Whole identifiers, and whole names of files. */
const replaced: Readonly<Record<string, string>> = {
  Seat: 'PartitionTask',
  Duty: 'PartitionRole',
  Looks: 'ReadQueue',
  QueryDesk: 'QueryService',
  CallDesk: 'PullQueue',
  Shelf: 'SnapshotRepository',
  shelf: 'repository',
  Mailbox: 'CommandInbox',
  mailbox: 'inbox',
  judgeCommit: 'validateCommit',
  citeHost: 'countReferrer',
  heedControl: 'catchUpControl',
};

it('names in the sources are the words of the glossary', () => {
  const found: string[] = [];
  const files = ['topology', 'services', 'lab'].flatMap((folder) =>
    (readdirSync(join(root, folder), { recursive: true }) as string[])
      .filter((name) => name.endsWith('.ts'))
      .map((name) => join(folder, name)),
  );
  const words = new RegExp(`(?<![\\w$])(?:${Object.keys(replaced).join('|')})(?![\\w$])`, 'g');
  for (const file of files) {
    for (const [word] of readFileSync(join(root, file), 'utf8').matchAll(words))
      found.push(`${file}: ${word} is ${replaced[word]}`);
  }
  assert.ok(files.length > 700);
  assert.deepEqual([...new Set(found)], []);
});
