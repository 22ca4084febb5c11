/** Keeps today's schemas as the next version each, if they differ from the newest kept in more than docs: run it when a schema changes. */
import { writeFileSync } from 'node:fs';
import { avroSchemas } from '../../../../schemas/avro.ts';
import { fileOf, keptVersions, withoutDocs } from './versions.ts';

for (const [topic, schema] of Object.entries(avroSchemas)) {
  const kept = keptVersions(topic);
  const newest = kept.at(-1);
  if (newest !== undefined && JSON.stringify(withoutDocs(newest)) === JSON.stringify(withoutDocs(schema))) continue;
  writeFileSync(fileOf(topic, kept.length + 1), `${JSON.stringify(schema)}\n`);
  console.log(`kept ${topic} version ${kept.length + 1}`);
}
