/**
 * A search index in one file: SQLite with FTS5. It needs no server, and searches can run beside the process that
 * writes.
 *
 *   docs   a row per known URL: its version and, for URLs in the index, the fields of a hit
 *   fts    title, description and text of the visible ones, by the same id
 *   positions   the next offset to read, in the same transaction as the records read
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CrawlstreamError } from '../../../topology/errors.ts';
import type { Positions } from '../../runtime/consumer/positions.ts';
import { type Purged, urlRangesOf } from '../../runtime/crawl/purges.ts';
import { makeFolders } from '../../runtime/disk/make-folders.ts';
import type { Position } from '../../runtime/log/log.ts';
import type { IndexChange, IndexedPage, SearchIndex } from './index-change.ts';
import { indexLimits } from './index-limits.ts';
import { charactersApart, charactersTogether } from './run-on-scripts.ts';
import { ftsExpression, titleExpression, wordsOf } from './search-query.ts';
import { openSqlite, type Sqlite } from './sqlite.ts';

export interface SqliteIndex extends SearchIndex {
  /** Changes and positions in one transaction: both survive a crash, or neither. */
  applyAt(changes: readonly IndexChange[], positions: readonly Position[]): void;
  /** Only for reading, because `applyAt` saves the positions. */
  readonly positions: Pick<Positions, 'load'>;
  close(): void;
}

export interface SearchOptions {
  /** A host with its subdomains, as in `example.org`; or one host key, with its port. */
  readonly host?: string | undefined;
  /** ISO 639-1. */
  readonly language?: string | undefined;
  /** A tag of the page's seed. */
  readonly tag?: string | undefined;
  readonly limit: number;
}

export interface Hit {
  readonly url: string;
  readonly title: string;
  /** The text around the words, with the words in brackets. */
  readonly snippet: string;
  readonly host: string;
  readonly language: string;
  readonly fetchedAtMs: number;
  readonly tags: readonly string[];
  /** Higher is better, within one search. Exception: titles that begin with the typed words come first. */
  readonly score: number;
}

const schema = `
CREATE TABLE IF NOT EXISTS docs (
  id INTEGER PRIMARY KEY,
  url TEXT NOT NULL UNIQUE,
  version INTEGER NOT NULL,
  visible INTEGER NOT NULL,
  host_key TEXT NOT NULL,
  host TEXT NOT NULL,
  language TEXT NOT NULL,
  fetched_at INTEGER NOT NULL,
  until INTEGER NOT NULL DEFAULT 0,
  snippet INTEGER NOT NULL DEFAULT 1,
  tags TEXT NOT NULL DEFAULT ''
);
CREATE TABLE IF NOT EXISTS positions (
  topic TEXT NOT NULL, partition INTEGER NOT NULL, next INTEGER NOT NULL, PRIMARY KEY (topic, partition)
) WITHOUT ROWID;
CREATE VIRTUAL TABLE IF NOT EXISTS fts USING fts5(
  title, description, text, tokenize = 'unicode61 remove_diacritics 2'
);`;

export function indexFile(folder: string): string {
  return join(folder, 'search.sqlite');
}

export async function openSqliteIndex(folder: string): Promise<SqliteIndex> {
  await makeFolders(folder, { recursive: true });
  const db = openSqlite(indexFile(folder));
  db.exec(schema);
  addColumns(db);
  // Purged text must not remain in the file's free pages, nor in the words of the index.
  db.exec("PRAGMA secure_delete = ON; INSERT INTO fts (fts, rank) VALUES ('secure-delete', 1)");
  const put = writer(db);
  const purge = purger(db);
  const save = db.prepare('INSERT OR REPLACE INTO positions (topic, partition, next) VALUES (?, ?, ?)');
  const load = db.prepare('SELECT next FROM positions WHERE topic = ? AND partition = ?');

  const applyAt = (changes: readonly IndexChange[], positions: readonly Position[]) => {
    db.exec('BEGIN IMMEDIATE');
    try {
      for (const change of changes) {
        if (change.kind === 'purge') purge(change);
        else put(change);
      }
      for (const { topic, partition, offset } of positions) save.run(topic, partition, offset);
      db.exec('COMMIT');
    } catch (error) {
      try {
        db.exec('ROLLBACK');
      } catch {
        // SQLite has rolled back already, for example when the disk is full. The first error names the reason.
      }
      throw error;
    }
    // The write-ahead log still contains the pages.
    if (changes.some(({ kind }) => kind === 'purge')) db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').all();
  };

  return {
    applyAt,
    apply: async (changes) => applyAt(changes, []),
    positions: { load: async (topic, partition) => load.get(topic, partition)?.['next'] as number | undefined },
    close: () => db.close(),
  };
}

function purger(db: Sqlite): (purged: Purged) => void {
  const words = db.prepare('DELETE FROM fts WHERE rowid IN (SELECT id FROM docs WHERE url >= ? AND url < ?)');
  const rows = db.prepare('DELETE FROM docs WHERE url >= ? AND url < ?');
  return ({ hostKey, url }) => {
    const ranges = url === null ? urlRangesOf(hostKey) : [{ from: url, below: `${url}\u0001` }];
    for (const { from, below } of ranges) {
      words.run(from, below);
      rows.run(from, below);
    }
  };
}

function writer(db: Sqlite): (change: IndexChange & { kind: 'put' | 'delete' }) => void {
  const find = db.prepare('SELECT id, version, visible FROM docs WHERE url = ?');
  const insert = db.prepare(
    `INSERT INTO docs (url, version, visible, host_key, host, language, fetched_at, until, snippet, tags)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const update = db.prepare(
    `UPDATE docs SET version = ?, visible = ?, host_key = ?, host = ?, language = ?, fetched_at = ?, until = ?, snippet = ?,
     tags = ? WHERE id = ?`,
  );
  const hide = db.prepare('UPDATE docs SET version = ?, visible = 0 WHERE id = ?');
  const index = db.prepare('INSERT INTO fts (rowid, title, description, text) VALUES (?, ?, ?, ?)');
  const forget = db.prepare('DELETE FROM fts WHERE rowid = ?');

  return (change) => {
    const { url, version } = change;
    const known = find.get(url);
    if (known !== undefined && (known['version'] as number) >= version) return;
    const id = known?.['id'] as number | undefined;
    if (id !== undefined && known?.['visible'] === 1) forget.run(id);
    if (change.kind === 'delete') {
      // The URL is remembered, since an older page of it may still be on its way.
      if (id === undefined) insert.run(url, version, 0, '', '', '', 0, 0, 1, '');
      else hide.run(version, id);
      return;
    }
    const { hostKey, language, fetchedAtMs, title, description, text, untilMs, snippet, tags } = change.page;
    const host = hostOf(hostKey);
    const tagList = tags.length === 0 ? '' : `,${tags.join()},`;
    const shown = [hostKey, host, language, fetchedAtMs, untilMs ?? 0, snippet ? 1 : 0, tagList] as const;
    const row = id ?? Number(insert.run(url, version, 1, ...shown).lastInsertRowid);
    if (id !== undefined) update.run(version, 1, ...shown, id);
    index.run(row, charactersApart(title), charactersApart(description), charactersApart(text));
  };
}

/** True if the folder has an index, which exists once pages were indexed. */
export function hasIndex(folder: string): boolean {
  return existsSync(indexFile(folder));
}

/** Best first. Throws INVALID_ARGUMENT without an index or a query. `nowMs`: expired pages are not found. */
export function searchFolder(
  folder: string,
  typed: string,
  { host, language, tag, limit }: SearchOptions,
  nowMs = Date.now(),
): Hit[] {
  const expression = ftsExpression(typed);
  const file = indexFile(folder);
  if (!existsSync(file)) {
    const remedy = 'crawl with --with index, or run crawlstream index first';
    throw new CrawlstreamError('INVALID_ARGUMENT', `there is no index in ${folder}: ${remedy}`);
  }
  const db = openSqlite(file, { readOnly: true });
  try {
    const conditions = ['fts MATCH ?'];
    const values: (string | number)[] = [];
    const columns = columnsOf(db);
    if (columns.has('until')) {
      conditions.push('(docs.until = 0 OR docs.until > ?)');
      values.push(nowMs);
    }
    // An index that no later release has opened has the text of every page to show.
    const mayShow = columns.has('snippet') ? 'docs.snippet' : '1';
    if (host?.includes(':')) {
      conditions.push('docs.host_key = ?');
      values.push(host);
    } else if (host !== undefined) {
      conditions.push("(docs.host = ? OR substr(docs.host, -length(?) - 1) = '.' || ?)");
      values.push(host, host, host);
    }
    if (language !== undefined) {
      conditions.push('docs.language = ?');
      values.push(language);
    }
    const tags = columns.has('tags') ? 'docs.tags' : "''";
    if (tag !== undefined) {
      conditions.push(`instr(${tags}, ?) > 0`);
      values.push(`,${tag},`);
    }
    // A word in a title counts more than one in a text (weights of bm25, by column).
    const statement = db.prepare(
      `SELECT docs.url, docs.host_key, docs.language, docs.fetched_at, ${tags} AS tags, fts.title,
         CASE ${mayShow} WHEN 1 THEN snippet(fts, -1, '[', ']', '…', 24) ELSE '' END AS snippet, -bm25(fts, 8.0, 3.0, 1.0) AS score
       FROM fts JOIN docs ON docs.id = fts.rowid
       WHERE ${conditions.join(' AND ')}
       ORDER BY score DESC, docs.url LIMIT ?`,
    );
    const find = (words: string, most: number) => statement.all(words, ...values, most).map(toHit);
    const byTitle = titleExpression(typed);
    const named = byTitle === null ? [] : titledFirst(find(byTitle, indexLimits.titledMax), typed);
    const urls = new Set(named.map(({ url }) => url));
    return [...named, ...find(expression, limit + named.length).filter(({ url }) => !urls.has(url))].slice(0, limit);
  } finally {
    db.close();
  }
}

/** An index of an earlier release lacks some of today's columns. */
function addColumns(db: Sqlite): void {
  const there = columnsOf(db);
  if (!there.has('until')) db.exec('ALTER TABLE docs ADD COLUMN until INTEGER NOT NULL DEFAULT 0');
  if (!there.has('tags')) db.exec("ALTER TABLE docs ADD COLUMN tags TEXT NOT NULL DEFAULT ''");
  if (!there.has('snippet')) db.exec('ALTER TABLE docs ADD COLUMN snippet INTEGER NOT NULL DEFAULT 1');
}

function columnsOf(db: Sqlite): ReadonlySet<string> {
  return new Set(
    db
      .prepare('PRAGMA table_info(docs)')
      .all()
      .map((row) => row['name'] as string),
  );
}

function toHit(row: Readonly<Record<string, unknown>>): Hit {
  return {
    url: row['url'] as string,
    title: charactersTogether(row['title'] as string),
    snippet: charactersTogether(row['snippet'] as string).replaceAll(/\s+/g, ' '),
    host: row['host_key'] as string,
    language: row['language'] as string,
    fetchedAtMs: row['fetched_at'] as number,
    tags: (row['tags'] as string).split(',').filter((tag) => tag !== ''),
    score: row['score'] as number,
  };
}

/**
 * Moves hits to the front by their titles: first exact titles, then titles with the same words, then titles that
 * begin with them, such as `LongStream (Java SE 17)`; each group by score.
 */
function titledFirst(hits: readonly Hit[], typed: string): Hit[] {
  const wanted = wordsOf(typed);
  const isWhole = ({ title }: Hit) => wordsOf(title).length === wanted.length;
  const isExact = ({ title }: Hit) => title.trim().toLowerCase() === typed.trim().toLowerCase();
  const groupOf = (hit: Hit) => (isExact(hit) ? 0 : isWhole(hit) ? 1 : 2);
  return [0, 1, 2].flatMap((group) => hits.filter((hit) => groupOf(hit) === group));
}

function hostOf(hostKey: IndexedPage['hostKey']): string {
  return hostKey.replace(/:\d+$/, '');
}
