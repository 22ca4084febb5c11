/** Keeps today's schemas as the next version each, where they differ from the newest kept: run it when a schema changes. */
import { writeFileSync } from 'node:fs';
import { avroSchemas } from '../../../../schemas/avro.ts';
import { fileOf, keptVersions } from './versions.ts';

for (const [topic, schema] of Object.entries(avroSchemas)) {
  const kept = keptVersions(topic);
  if (JSON.stringify(kept.at(-1)) === JSON.stringify(schema)) continue;
  writeFileSync(fileOf(topic, kept.length + 1), `${JSON.stringify(schema)}\n`);
  console.log(`kept ${topic} version ${kept.length + 1}`);
}
