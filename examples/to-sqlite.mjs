/**
 * Pages into a table of SQLite, each URL once with what was read last: `npm install libsql` beside crawlstream.
 *
 * Records may come twice after a crash, so a row is written over by its URL. A page that the table refuses (an empty
 * title, here) fails its batch: it is tried again, and alone goes to the dead letters; `crawlstream dlq list` shows it.
 */
import { join } from 'node:path';
import { definePlugin } from 'crawlstream/plugin';
import Database from 'libsql';

export default definePlugin({
  name: 'to-sqlite',
  version: '1.0.0',
  processors: [
    {
      name: 'to-sqlite',
      does: 'keeps the newest copy of each page in a table of SQLite',
      options: { file: { about: 'where the database is', default: 'pages.db' } },
      holds: 'pages',
      retriesMs: [100],
      open({ options, folder, say }) {
        const path = options.file.includes('/') ? options.file : join(folder, options.file);
        const database = new Database(path);
        database.exec(
          `CREATE TABLE IF NOT EXISTS pages (
             url TEXT PRIMARY KEY, title TEXT NOT NULL CHECK (title <> ''), text TEXT NOT NULL, fetched_at INTEGER NOT NULL)`,
        );
        const write = database.prepare(
          `INSERT INTO pages (url, title, text, fetched_at) VALUES (?, ?, ?, ?)
           ON CONFLICT (url) DO UPDATE SET title = excluded.title, text = excluded.text, fetched_at = excluded.fetched_at
           WHERE excluded.fetched_at >= fetched_at`,
        );
        const remove = database.prepare('DELETE FROM pages WHERE url = ?');
        say(`to-sqlite: pages go to ${path}`);
        return {
          handle(batch) {
            database.exec('BEGIN');
            try {
              for (const { value } of batch) write.run(value.url, value.title, value.text, value.fetchedAtMs);
              database.exec('COMMIT');
            } catch (error) {
              database.exec('ROLLBACK');
              throw error;
            }
          },
          // Pages that were purged, or whose site no longer allows it.
          forget(urls) {
            for (const url of urls) remove.run(url);
          },
          close: () => database.close(),
        };
      },
    },
  ],
});
