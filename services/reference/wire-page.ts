/** The page about the guarantees of each topic to other programs (docs/wire.md). */
import { topicNames, topics } from '../../topology/topics.ts';
import { wire } from '../../topology/wire/wire.ts';
import { processors } from '../application/topology.ts';
import { counted } from '../runtime/counted.ts';

const head = `# The wire

\`npm run generate\` writes this page from \`topology/wire/wire.ts\` and \`topology/topics.ts\`. A test holds the records of a crawl on a real broker against it,
with Java's client (\`test/kafka/wire.integration.test.ts\`).
A topic's full name is \`CRAWL.TOPIC\`; in a fleet, most topics of a crawl share one ([flows](fleet.md)). Values are Avro
([schemas](../deploy/KAFKA.md#schemas)), but for the changelog.

The partition is \`toPositive(murmur2(PART)) % partitions\`, as Java's default partitioner computes it of a key. PART is a part of the key:

| topic | key | PART, which leads to the partition | Java's default partitioner on the whole key |
| --- | --- | --- | --- |
`;

const between = `
So keys of \`discovered\` and \`results\` lead to their partition in every client that hashes as Java does. For the other topics, cut the host name out of
the key first: take what is behind \`://\`, end it at the first \`/\` or space, and drop \`:PORT\`. A Kafka Streams application that joins by key must
repartition, as the key alone does not show where a record lies.

Crawls have the key \`host\`. \`crawlstream repartition --key domain\` and \`crawlstream load --key domain\` make one with the key \`domain\`: there, hash the
registrable domain of the host name. \`crawlstream topics check --json\` shows the key as \`keyMode\`. \`--politeness domain\` changes no key.

| topic | writers | headers | order within a partition | duplicates |
| --- | --- | --- | --- | --- |
`;

const last = `
Records of \`discovered\`, \`tasks\` and \`results\` have the context of a traced URL in their field \`traceparent\`. A replay of dead letters
and the load of a crawl write to its topics, too. Producers are idempotent, without transactions.
Records of aborted transactions of your producers are skipped (\`test/services/runtime/log/kafka/topics.integration.test.ts\`). The column on duplicates says
what a consumer must expect. \`test/kafka/chaos.integration.test.ts\` kills processes, and looks for \`tasks\` and \`results\` that were written again.

| topic | cleanup | kept |
| --- | --- | --- |
`;

export function wirePage(): string {
  const rows = (cellsOf: (name: (typeof topicNames)[number]) => readonly string[]) =>
    topicNames.map((name) => `| ${[`\`${name}\``, ...cellsOf(name)].join(' | ')} |\n`).join('');
  const keys = rows((name) => {
    const { key, leads, hashed } = wire[name];
    const agrees = hashed === null ? 'not used' : leads === 'the whole key' ? 'agrees' : 'differs';
    return [key, leads, agrees];
  });
  const facts = rows((name) => {
    const { others, headers, order, duplicates } = wire[name];
    const declared = processors.filter(({ writes }) => writes.includes(name)).map((one) => `\`${one.name}\``);
    return [[declared.join(', '), others].filter((one) => one !== '').join('; '), headers, order, duplicates];
  });
  const kept = rows((name) => {
    const { retention, kept: bounds, settings = {} } = topics[name];
    const cleanup = settings['cleanup.policy'] ?? 'delete';
    if (bounds !== undefined)
      return [cleanup, `${counted(bounds.days, 'day')}, ${bounds.bytes / 2 ** 30} GiB of each partition`];
    return [cleanup, retention === 'state' ? 'for ever; trimmed below a kept snapshot' : 'the newest of each key'];
  });
  return `${head}${keys}${between}${facts}${last}${kept}`;
}
