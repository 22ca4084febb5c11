/** Every URL that a search index in a folder has a row of. */
import { existsSync } from 'node:fs';
import { openSqlite } from './sqlite.ts';
import { indexFile } from './sqlite-index.ts';

const rowsAtOnce = 10_000;

/** Empty if there is no index. */
export function* indexedUrls(folder: string): Generator<string> {
  if (!existsSync(indexFile(folder))) return;
  const db = openSqlite(indexFile(folder), { readOnly: true });
  try {
    const some = db.prepare('SELECT id, url FROM docs WHERE id > ? ORDER BY id LIMIT ?');
    for (let last = -1; ; ) {
      const rows = some.all(last, rowsAtOnce);
      for (const row of rows) yield row['url'] as string;
      if (rows.length < rowsAtOnce) return;
      last = rows.at(-1)!['id'] as number;
    }
  } finally {
    db.close();
  }
}
