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
    /^topology\/content\/minhash-index\.ts$/,
  ],
  bands: [/^topology\/content\/minhash-index\.ts$/],
  lanes: [
    /\/digest\.ts$/,
    /dump-line\.ts$/,
    /\/compare-states\.ts$/,
    /^services\/(?:fetcher|library|runtime\/avro)\//,
    /\/task-of\.ts$/,
    /^lab\/(?:model|bench|simulation)\//,
  ],
  view: [
    /^services\/dashboard\//,
    /\/dashboard-command\.ts$/,
    /\/query-service\.ts$/,
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

/** Words of this house that the field does not use. They stay in names on the wire, in stored rows and in a client's public calls. */
const houseWords = new Set([
  'told',
  'tell',
  'tells',
  'telling',
  'teller',
  'seat',
  'road',
  'taker',
  'errand',
  'sight',
  'heed',
  'story',
  'anew',
]);
const onTheWire: readonly RegExp[] = [
  /^clients\/(?:typescript\/lease-client|crawlee\/lease-broker)\.ts$/,
  /^services\/extras\/dedup\/(?:rows|deduper)\.ts$/,
  /^services\/extras\/lending\/(?:api-schemas|lease-methods|lease-pool)\.ts$/,
  /^services\/runtime\/(?:avro\/schema-note|crawl\/crawl-schemas)\.ts$/,
  /^services\/cli\/operate\/(?:schemas|seek)-command\.ts$/,
  /^services\/cli\/(?:examples|inspect\/(?:story|dashboard)-command|command-modules|help-groups)\.ts$/,
  /^services\/hosting\/(?:inspect\/explain-answer|roles\/query-service)\.ts$/,
  /^services\/dashboard\//,
];

it('no identifier has a house word if the field has one', () => {
  const files = ['topology', 'services', 'clients', 'lab'].flatMap((folder) =>
    (readdirSync(join(root, folder), { recursive: true }) as string[])
      .filter((name) => name.endsWith('.ts'))
      .map((name) => join(folder, name)),
  );
  const found = files
    .filter((file) => !onTheWire.some((place) => place.test(file)))
    .flatMap((file) => {
      const code = readFileSync(join(root, file), 'utf8')
        .replaceAll(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*/g, '')
        .replaceAll(/'(?:[^'\\\n]|\\.)*'|`(?:[^`\\$]|\\.|\$(?!\{)|\$\{[^{}]*\})*`|\/(?:[^/\\\n]|\\.)+\//g, '');
      const names = new Set(code.match(/[A-Za-z_$][\w$]*/g));
      const wrong = [...names].filter((name) =>
        name.split(/(?=[A-Z])|_/).some((part) => houseWords.has(part.toLowerCase())),
      );
      return wrong.map((name) => `${file}: ${name}`);
    });
  assert.ok(files.length > 700);
  assert.deepEqual(found, []);
});
