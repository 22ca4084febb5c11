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
  band: 'frontQueue',
  bands: 'frontQueues',
  Bands: 'FrontQueues',
  bandCount: 'frontQueueCount',
  bandOf: 'frontQueueOf',
  view: 'checkpoint',
  saveView: 'saveCheckpoint',
  loadView: 'loadCheckpoint',
  keptView: 'keptCheckpoint',
  ViewSaver: 'CheckpointSaver',
  lane: 'hostSlot',
  lanes: 'hostSlots',
  HostLanes: 'SlotsOfHost',
  Turn: 'Permit',
  AddressTurn: 'AddressPermit',
  writePrints: 'writeFingerprints',
  readPrints: 'readFingerprints',
  printOf: 'fingerprintOf',
  bury: 'abandon',
  cite: 'countReferrer',
  keepStanding: 'keepInForce',
  StandingTrap: 'ActiveTrap',
  Standing: 'CrawlPhase',
  Letter: 'DeadLetter',
  decideWishes: 'decideLeaseRequests',
  burialsPerStep: 'abandonsPerStep',
  standingOf: 'phaseOf',
};

/**
 * Where a word stays: in what is written (records of topics, rows, digests, dumps of format 1), which versions before
 * this one read; or as another word of English or of HTML.
 */
const kept: Readonly<Record<string, readonly RegExp[]>> = {
  band: [
    /^topology\/frontier\/(?:check\/digest|state\/traps-state|transfer\/(?:parse-dump-line|dump-line))\.ts$/,
    /^lab\/simulation\/standby\.ts$/,
    /\/compare-states\.ts$/,
    /^lab\/bench\/content\//,
    // Of locality-sensitive hashing.
    /^topology\/extras\/dedup\/minhash-index\.ts$/,
  ],
  bands: [/^topology\/extras\/dedup\/minhash-index\.ts$/],
  lanes: [
    /\/digest\.ts$/,
    /dump-line\.ts$/,
    /\/compare-states\.ts$/,
    /^services\/(?:fetcher|library|runtime\/avro)\//,
    /\/task-of\.ts$/,
    /^lab\/(?:model|bench|simulation)\//,
  ],
  view: [
    /^services\/extras\/dashboard\//,
    /^services\/cli\/terminal\//,
    /\/read-only\.ts$/,
    /^topology\/policy\/traps\//,
    /^lab\/web\//,
  ],
  cite: [/^topology\/parse\//, /^lab\/bench\/content\//],
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
      if (!kept[word]?.some((place) => place.test(file))) found.push(`${file}: ${word} is ${replaced[word]}`);
  }
  assert.ok(files.length > 700);
  assert.deepEqual([...new Set(found)], []);
});

const inClients = /^clients\/(?:typescript\/lease-client|crawlee\/lease-broker)\.ts$/;
const inCalls = /^services\/extras\/lending\/(?:api-schemas|lease-methods|lease-pool)\.ts$/;
const inNotes = /^services\/(?:runtime\/(?:avro\/schema-note|crawl\/crawl-schemas)|cli\/operate\/schemas-command)\.ts$/;
const inDashboard = /^services\/extras\/dashboard\//;
/** The command `story`. */
const inCommands =
  /^services\/(?:cli\/(?:examples|command-modules|help-groups)|extras\/(?:installed|story\/.*)|hosting\/inspect\/explain-answer)\.ts$/;

/**
 * Words of this house that the field does not use, and where each stays: in names on the wire, in stored rows, in a
 * client's public calls, and in the name of a command.
 */
const houseWords: Readonly<Record<string, readonly RegExp[]>> = {
  told: [inCalls, inNotes, inDashboard, /^services\/extras\/dedup\/(?:rows|deduper)\.ts$/],
  tell: [inCalls, inClients],
  story: [inDashboard, inCommands],
  ...Object.fromEntries(
    ['tells', 'telling', 'teller', 'seat', 'road', 'taker', 'errand', 'sight', 'heed', 'anew'].map((word) => [
      word,
      [],
    ]),
  ),
};

/** The words in a name that may not stand in this file. */
function wrongIn(name: string, file: string): string[] {
  const words = name.split(/(?=[A-Z])|[^A-Za-z]/).map((word) => word.toLowerCase());
  return words.filter(
    (word) => Object.hasOwn(houseWords, word) && !houseWords[word]!.some((place) => place.test(file)),
  );
}

it('no identifier, file or folder has a house word if the field has one', () => {
  const files = ['topology', 'services', 'clients', 'lab'].flatMap((folder) =>
    (readdirSync(join(root, folder), { recursive: true }) as string[])
      .filter((name) => name.endsWith('.ts'))
      .map((name) => join(folder, name)),
  );
  const found = files.flatMap((file) => {
    const code = readFileSync(join(root, file), 'utf8')
      .replaceAll(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*/g, '')
      .replaceAll(/'(?:[^'\\\n]|\\.)*'|`(?:[^`\\$]|\\.|\$(?!\{)|\$\{[^{}]*\})*`|\/(?:[^/\\\n]|\\.)+\//g, '');
    const names = [...new Set([file, ...(code.match(/[A-Za-z_$][\w$]*/g) ?? [])])];
    return names.filter((name) => wrongIn(name, file).length > 0).map((name) => `${file}: ${name}`);
  });
  assert.ok(files.length > 700);
  assert.deepEqual(found, []);
});
