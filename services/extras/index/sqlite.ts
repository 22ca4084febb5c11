/** SQLite, by libsql's native build, behind one file: the only one that knows its name. */
import { createRequire } from 'node:module';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { isMissing, missingPackage } from '../../runtime/needed-package.ts';

export type SqlValue = string | number | null;

export interface Statement {
  run(...values: readonly SqlValue[]): { readonly lastInsertRowid: number };
  get(...values: readonly SqlValue[]): Readonly<Record<string, SqlValue>> | undefined;
  all(...values: readonly SqlValue[]): readonly Readonly<Record<string, SqlValue>>[];
}

export interface Sqlite {
  exec(sql: string): void;
  prepare(sql: string): Statement;
  close(): void;
}

function loaded(): new (file: string) => Sqlite {
  try {
    return createRequire(import.meta.url)('libsql') as new (
      file: string,
    ) => Sqlite;
  } catch (error) {
    throw isMissing(error, 'libsql') ? missingPackage(['libsql'], 'a search index in a file', error) : error;
  }
}

/** Throws DESTINATION_REFUSED if the file is not a database, or cannot be opened. */
export function openSqlite(file: string, { readOnly = false } = {}): Sqlite {
  // Loaded here: a crawl without an index does without it.
  const Database = loaded();
  try {
    const database = new Database(file);
    database.exec(readOnly ? 'PRAGMA query_only = 1' : 'PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
    database.exec('PRAGMA busy_timeout = 5000');
    return database;
  } catch (cause) {
    const message = `${file} cannot be opened as a search index: ${(cause as Error).message}`;
    throw new CrawlstreamError('DESTINATION_REFUSED', message, cause);
  }
}
