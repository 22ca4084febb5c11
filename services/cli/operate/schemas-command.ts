/**
 * `crawlstream schemas`: lists the schemas of a crawl's records on Kafka, from its notes on `control`. An operator can
 * also add a note for an unknown id. The command needs no manifest, since the manifest may be the unreadable record.
 */
import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { avroSchemas } from '../../../schemas/avro.ts';
import { type AvroTopic, topicNames } from '../../../topology/topics.ts';
import { type KafkaFlags, needBrokers } from '../../hosting/options/crawl-place.ts';
import type { OperatorFlags } from '../../hosting/options/operator.ts';
import { schemaAt } from '../../operation/unknown-schemas.ts';
import { incompatibilities } from '../../runtime/avro/compatibility.ts';
import { encodeSchemaNote, type SchemaNote } from '../../runtime/avro/schema-note.ts';
import { fingerprint64 } from '../../runtime/avro/single-object.ts';
import { SystemClock } from '../../runtime/clock.ts';
import { type CrawlAccess, openKafkaAccess } from '../../runtime/crawl/kafka-access.ts';
import type { Log } from '../../runtime/log/log.ts';
import { bad } from '../../runtime/option-text.ts';
import { oneOf, wholeNumber } from '../flags/arguments.ts';
import { addCrawlOptions } from '../flags/kafka-flags.ts';
import { addOperatorOptions } from '../flags/operator-flags.ts';
import { print } from '../terminal/print.ts';

interface NoteFlags extends OperatorFlags {
  readonly topic: AvroTopic;
  /** Id, or fingerprint. */
  readonly id: number | string;
}

interface RefuseFlags extends Omit<NoteFlags, 'id'> {
  readonly id?: number | string;
  readonly partition?: number;
  readonly offset?: number;
}

const avroTopics = topicNames.filter((name): name is AvroTopic => name !== 'frontier-changelog');

/** Four bytes of a record: a foreign one may have any. */
const idMax = 2 ** 32 - 1;

export function addSchemasCommand(program: Command): void {
  const schemas = program
    .command('schemas')
    .description('schemas of records on Kafka: list, name an unknown id (teach), reject an id (refuse)');
  addCrawlOptions(schemas.command('list').description('print the schema of each schema id of each topic'))
    .option('--json', 'print one JSON object')
    .action(list);
  addNoteOptions(
    schemas.command('teach').argument('<file>', 'the schema, as in pages.avsc'),
    'assign a schema to an id that no registry has any more',
  )
    .requiredOption('--id <ref>', idHelp, schemaRef)
    .action(async (file: string, flags: NoteFlags) => teach(flags, await schemaFor(file, flags)));
  addNoteOptions(schemas.command('refuse'), 'declare a schema id foreign: its records become dead letters')
    .option('--id <ref>', idHelp, schemaRef)
    .option('--partition <n>', 'in place of --id: partition of such a record', wholeNumber('--partition'))
    .option('--offset <n>', 'in place of --id: offset of such a record', wholeNumber('--offset'))
    .action(refuse);
}

const idHelp = 'schema id in the records, or fingerprint (16 hexadecimal digits)';

function schemaRef(value: string): number | string {
  return /^[0-9a-f]{16}$/i.test(value) ? value.toLowerCase() : wholeNumber('--id', 0, idMax)(value);
}

function addNoteOptions(command: Command, description: string): Command {
  return addOperatorOptions(
    command
      .description(description)
      .requiredOption('--topic <name>', 'topic of the records', oneOf('--topic', avroTopics)),
  );
}

async function list(flags: KafkaFlags & { readonly json?: boolean }): Promise<void> {
  const { log, schemas } = await openKafkaAccess({ brokers: needBrokers(flags), crawl: flags.crawl, role: 'schemas' });
  try {
    const notes = schemas.notes().map(({ topic, id, schema, fingerprint: refused = null, told: output, atMs, by }) => {
      const fingerprint = schema === '' ? refused : fingerprint64(JSON.parse(schema) as object);
      const at = new Date(atMs).toISOString();
      return { topic, id: id < 0 ? null : id, fingerprint, isForeign: schema === '', told: output, at, by };
    });
    notes.sort((a, b) => (a.topic < b.topic ? -1 : a.topic > b.topic ? 1 : (a.id ?? -1) - (b.id ?? -1)));
    const text = notes.map(
      ({ topic, id, fingerprint, isForeign, at, by }) =>
        `${topic.padEnd(14)}${`${id ?? 'no id'}`.padEnd(12)}${(fingerprint ?? '').padEnd(16)}  ${isForeign ? 'foreign ' : ''}${at} ${by}`,
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

async function teach(flags: NoteFlags, schema: string): Promise<void> {
  const { id, topic } = flags;
  const fingerprint = fingerprint64(JSON.parse(schema) as object);
  if (typeof id === 'string' && id !== fingerprint)
    throw bad('--id', id, `the file's schema has the fingerprint ${fingerprint}: give the schema of these records`);
  await withControl(flags, ({ log }) => note(log, flags, { topic, id: typeof id === 'string' ? -1 : id, schema }));
}

async function refuse(flags: RefuseFlags): Promise<void> {
  const { id, topic, partition, offset } = flags;
  if ((id === undefined) === (partition === undefined) || (partition === undefined) !== (offset === undefined))
    throw bad('--id', `${id ?? ''}`, 'give either --id, or --partition and --offset of one of the records');
  await withControl(flags, async (access) => {
    const ref = id ?? (await schemaAt(access, flags, partition!, offset!));
    if (ref === fingerprint64(avroSchemas[topic]))
      throw bad('--id', ref, `this release writes ${topic} with this schema: give the schema of the foreign records`);
    const refused = typeof ref === 'string' ? { id: -1, fingerprint: ref } : { id: ref };
    await note(access.log, flags, { topic, schema: '', ...refused });
  });
}

async function withControl(flags: RefuseFlags, act: (access: CrawlAccess) => Promise<void>): Promise<void> {
  const { crawl, registry } = flags;
  const access = await openKafkaAccess({ brokers: needBrokers(flags), registry, crawl, role: 'schemas' });
  try {
    await act(access);
  } finally {
    await access.log.close();
  }
}

type Report = Pick<SchemaNote, 'topic' | 'id' | 'schema' | 'fingerprint'>;

async function note(log: Log, { crawl, by, json }: RefuseFlags, output: Report): Promise<void> {
  const { topic, id, schema } = output;
  const value = encodeSchemaNote({ ...output, told: true, atMs: new SystemClock().nowMs(), by });
  const [offset] = await log.append([{ topic: `${crawl}.control`, partition: 0, key: null, value }]);
  const what = id < 0 ? 'fingerprint' : 'schema id';
  const meaning = schema === '' ? 'is foreign' : `is ${fingerprint64(JSON.parse(schema) as object)}`;
  const ref = id < 0 ? (output.fingerprint ?? fingerprint64(JSON.parse(schema) as object)) : id;
  const text = `${what} ${ref} on ${crawl}.${topic} ${meaning}: on control at 0:${offset}`;
  print({ json: { topic, id: ref, control: offset }, text }, json);
}
