/**
 * `crawlstream schemas`: shows by which schemas the records of a crawl on Kafka were written, from its notes on
 * `control`, and lets an operator note what an unknown id stands for. It needs no manifest, since that may be the
 * record that can't be read.
 */
import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { avroSchemas } from '../../../schemas/avro.ts';
import { type AvroTopic, topicNames } from '../../../topology/topics.ts';
import { incompatibilities } from '../../runtime/avro/compatibility.ts';
import { encodeSchemaNote, type SchemaNote } from '../../runtime/avro/schema-note.ts';
import { fingerprint64 } from '../../runtime/avro/single-object.ts';
import { SystemClock } from '../../runtime/clock.ts';
import { openKafkaAccess } from '../../runtime/crawl/kafka-access.ts';
import { bad, oneOf, wholeNumber } from '../flags/arguments.ts';
import { addCrawlOptions, type KafkaFlags, needBrokers } from '../flags/kafka-flags.ts';
import { addOperatorOptions, type OperatorFlags } from '../flags/operator-flags.ts';
import { print } from '../terminal/print.ts';

interface NoteFlags extends OperatorFlags {
  readonly topic: AvroTopic;
  readonly id: number;
}

const avroTopics = topicNames.filter((name): name is AvroTopic => name !== 'frontier-changelog');
const idMax = 2 ** 31 - 1;

export function addSchemasCommand(program: Command): void {
  const schemas = program
    .command('schemas')
    .description('the schemas that records of a crawl on Kafka were written by: list, teach, refuse');
  addCrawlOptions(schemas.command('list').description('print the schema of each schema id of each topic'))
    .option('--json', 'as one JSON object')
    .action(list);
  addNoteOptions(
    schemas.command('teach').argument('<file>', 'the schema, as in pages.avsc'),
    'assign a schema to an id that no registry has any more',
  ).action(async (file: string, flags: NoteFlags) => say(flags, await schemaFor(file, flags)));
  addNoteOptions(schemas.command('refuse'), 'declare a schema id foreign: its records become dead letters').action(
    (flags: NoteFlags) => say(flags, ''),
  );
}

function addNoteOptions(command: Command, description: string): Command {
  return addOperatorOptions(
    command
      .description(description)
      .requiredOption('--topic <name>', 'topic of the records', oneOf('--topic', avroTopics))
      .requiredOption('--id <n>', 'schema id they carry', wholeNumber('--id', 0, idMax)),
  );
}

async function list(flags: KafkaFlags & { readonly json?: boolean }): Promise<void> {
  const { log, schemas } = await openKafkaAccess({ brokers: needBrokers(flags), crawl: flags.crawl, role: 'schemas' });
  try {
    const notes = schemas.notes().map(({ topic, id, schema, told, atMs, by }) => {
      const fingerprint = schema === '' ? null : fingerprint64(JSON.parse(schema) as object);
      return { topic, id: id < 0 ? null : id, fingerprint, told, at: new Date(atMs).toISOString(), by };
    });
    notes.sort((a, b) => (a.topic < b.topic ? -1 : a.topic > b.topic ? 1 : (a.id ?? -1) - (b.id ?? -1)));
    const text = notes.map(
      ({ topic, id, fingerprint, at, by }) =>
        `${topic.padEnd(14)}${`${id ?? 'no id'}`.padEnd(12)}${fingerprint ?? 'foreign'.padEnd(16)}  ${at} ${by}`,
    );
    print({ json: { crawl: flags.crawl, schemas: notes }, text: text.join('\n') }, flags.json);
  } finally {
    await log.close();
  }
}

/** Throws where records of this schema could not be read as the topic's, since it would be the wrong one. */
async function schemaFor(file: string, { topic }: NoteFlags): Promise<string> {
  let schema: object;
  try {
    schema = JSON.parse(await readFile(file, 'utf8')) as object;
  } catch (error) {
    throw bad('<file>', file, (error as Error).message);
  }
  const [why] = incompatibilities(schema, avroSchemas[topic]);
  if (why !== undefined) throw bad('<file>', file, `it cannot be a schema of topic ${topic} (${why})`);
  return JSON.stringify(schema, (key, value) => (key === 'doc' ? undefined : value));
}

async function say(flags: NoteFlags, schema: string): Promise<void> {
  const { topic, id, by, crawl } = flags;
  const { log } = await openKafkaAccess({ brokers: needBrokers(flags), crawl, role: 'schemas' });
  try {
    const note: SchemaNote = { topic, id, schema, told: true, atMs: new SystemClock().nowMs(), by };
    const control = `${crawl}.control`;
    const [offset] = await log.append([{ topic: control, partition: 0, key: null, value: encodeSchemaNote(note) }]);
    const meaning = schema === '' ? 'is foreign' : `is ${fingerprint64(JSON.parse(schema) as object)}`;
    const text = `schema id ${id} on ${crawl}.${topic} ${meaning}: recorded on topic control at 0:${offset}`;
    print({ json: { topic, id, control: offset }, text }, flags.json);
  } finally {
    await log.close();
  }
}
