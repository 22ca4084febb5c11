import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../../', import.meta.url));

/** Files that compute: not the commands, nor what declares them. */
const sourcesIn = (folder: string) =>
  (readdirSync(root + folder) as string[]).filter((file) => file.endsWith('.ts') && file !== 'extension.ts');

/** What each file of a folder imports, without its dots. */
function importsOf(folder: string): string[] {
  return sourcesIn(folder).flatMap((file) => {
    const text = readFileSync(`${root}${folder}/${file}`, 'utf8');
    return [...text.matchAll(/from '([^']+)'/g)].map(([, path]) => path!.replace(/^(\.\.?\/)+/, ''));
  });
}

test('an audit shares nothing with the crawler but the records and their decoding', () => {
  const own = sourcesIn('topology/extras/audit');
  const core = importsOf('topology/extras/audit').filter((path) => path !== 'schemas/types.ts' && !own.includes(path));
  assert.deepEqual(core, []);
  const allowed =
    /^(schemas\/types\.ts|topology\/(extras\/audit\/|errors\.ts)|runtime\/(log\/|avro\/|consumer\/forgotten\.ts)|node:crypto$)/;
  const files = sourcesIn('services/extras/audit');
  const around = importsOf('services/extras/audit').filter((path) => !allowed.test(path) && !files.includes(path));
  assert.deepEqual(around, []);
});
