/**
 * Opening a data folder: made and marked as ours if it is new or empty, checked against its manifest if not.
 *
 * The manifest appears in one step (temporary file, fsync, link, fsync of the folder), so a crash leaves either an
 * empty folder or a whole manifest. Two processes are kept apart by the store's own lock, not here.
 */
import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { CrawlstreamError } from '../../../topology/errors.ts';
import type { Clock } from '../clock.ts';
import { makeFile } from '../disk/durable-names.ts';
import { makeFolders } from '../disk/make-folders.ts';
import { inShell } from '../in-shell.ts';
import { ownName } from '../own-name.ts';
import { checkManifest, type Manifest, type ManifestFacts, manifestFormat, parseManifest } from './manifest.ts';
import { refusalAbove } from './refusal-above.ts';

export interface DataFolder {
  /** Absolute. */
  readonly path: string;
  readonly manifest: Manifest;
  /** True if this call made it. */
  readonly isNew: boolean;
  /** Folder of a part's own files, such as `log` or `state`. */
  part(name: string): string;
}

export interface NewFolder {
  /** Default settings of a new folder. */
  readonly defaults: ManifestFacts;
  /** Version of this program. */
  readonly createdBy: string;
  readonly clock: Clock;
  /** The key of a crawl that takes over another's fingerprints. Absent: 16 random bytes. */
  readonly fingerprintKey?: string | undefined;
}

export const manifestName = 'manifest.json';
/** Allowed entries of an "empty" folder: our own interrupted start, and the root of a fresh volume. */
const isHarmless = (name: string) => /^manifest\.json(?:\.\w+)?\.new$/.test(name) || name === 'lost+found';

/**
 * Opens or creates a data folder. `wanted`: facts that the user named; they must match an existing folder. Throws
 * DATA_FOLDER_FOREIGN, DATA_FOLDER_NEWER, TOPIC_MISMATCH, DISK_FULL or INVALID_ARGUMENT, each with the folder and the
 * remedy.
 */
export async function openDataFolder(
  folder: string,
  wanted: Partial<ManifestFacts>,
  { defaults, createdBy, clock, fingerprintKey }: NewFolder,
): Promise<DataFolder> {
  const path = resolve(folder);
  try {
    await makeFolders(path, { recursive: true, mode: ownerOnly });
    const there = await readManifest(path);
    if (there) {
      checkManifest(there, wanted, `data folder ${path}`);
      return dataFolder(path, there, false);
    }
    const facts = Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined));
    const text = JSON.stringify({
      format: manifestFormat,
      ...defaults,
      ...facts,
      fingerprintKey: fingerprintKey ?? randomBytes(16).toString('hex'),
      createdAt: new Date(clock.nowMs()).toISOString(),
      createdBy,
    });
    const manifest = parseManifest(text, join(path, manifestName));
    if (await writeManifest(path, manifest)) return dataFolder(path, manifest, true);
    // Another process was first: its keys count.
    const first = (await readManifest(path))!;
    checkManifest(first, wanted, `data folder ${path}`);
    return dataFolder(path, first, false);
  } catch (error) {
    throw folderError(error as Error, path);
  }
}

/**
 * Opens the folder of one process of a crawl that has its manifest elsewhere: the folder must be new, or belong to
 * that crawl. `option`: the option that named it.
 */
export async function adoptDataFolder(folder: string, manifest: Manifest, option = '--data'): Promise<DataFolder> {
  const path = resolve(folder);
  try {
    await makeFolders(path, { recursive: true, mode: ownerOnly });
    let there = await readManifest(path, option);
    const isNew = there === undefined && (await writeManifest(path, manifest));
    if (!isNew) there ??= await readManifest(path, option);
    if (there !== undefined && there.fingerprintKey !== manifest.fingerprintKey) {
      const message = `data folder ${path} belongs to another crawl (${there.crawl}, made ${there.createdAt}): choose another ${option}`;
      throw new CrawlstreamError('DATA_FOLDER_FOREIGN', message);
    }
    return dataFolder(path, manifest, isNew);
  } catch (error) {
    throw folderError(error as Error, path, option);
  }
}

/**
 * Opens a folder for reading only; creates nothing. Throws INVALID_ARGUMENT if it has no crawl, and names crawls
 * nearby.
 */
export async function readDataFolder(folder: string, wanted: Partial<ManifestFacts> = {}): Promise<DataFolder> {
  const path = resolve(folder);
  try {
    const names = await readdir(path);
    if (!names.includes(manifestName))
      throw noCrawl(folder, await crawlsNear(path), 'holds no crawl', names.every(isHarmless));
    const manifest = (await readManifest(path))!;
    checkManifest(manifest, wanted, `data folder ${path}`);
    return dataFolder(path, manifest, false);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      throw noCrawl(folder, await crawlsNear(path), 'does not exist');
    throw folderError(error as Error, path);
  }
}

/** `isFree`: a crawl can start in it. */
function noCrawl(folder: string, near: readonly string[], what: string, isFree = true): CrawlstreamError {
  const start = `${ownName()} crawl URL --contact EMAIL --data ${isFree ? inShell(folder) : 'FOLDER'}`;
  const remedy =
    near.length === 0
      ? `name the data folder of a crawl, or start a crawl ${isFree ? 'there' : 'in a new folder'}: ${start}`
      : `did you mean ${near.join(', ')}?`;
  return new CrawlstreamError('INVALID_ARGUMENT', `data folder ${resolve(folder)} ${what}: ${remedy}`);
}

const nearMax = 5;

/** Returns folders of crawls: the one that contains this folder, else those in the folder, else those beside it. */
export async function crawlsNear(path: string): Promise<string[]> {
  const around = await readdir(dirname(path)).catch((): string[] => []);
  if (around.includes(manifestName)) return [dirname(path)];
  for (const folder of [path, dirname(path)]) {
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    const names = entries.filter((one) => one.isDirectory()).map(({ name }) => join(folder, name));
    const inside = await Promise.all(names.map((name) => readdir(name).catch((): string[] => [])));
    const found = names.filter((_, at) => inside[at]!.includes(manifestName)).slice(0, nearMax);
    if (found.length > 0) return found;
  }
  return [];
}

function dataFolder(path: string, manifest: Manifest, isNew: boolean): DataFolder {
  return { path, manifest, isNew, part: (name) => join(path, name) };
}

/** Undefined for a folder with nothing in it; throws for one with something else in it. */
async function readManifest(path: string, option = '--data'): Promise<Manifest | undefined> {
  const names = (await readdir(path)).filter((name) => !isHarmless(name));
  if (names.length === 0) return undefined;
  if (!names.includes(manifestName)) {
    const message = `${path} is not empty and contains no crawl (it has ${names.sort()[0]}): choose an empty or new folder for ${option}`;
    throw new CrawlstreamError('DATA_FOLDER_FOREIGN', message);
  }
  const file = join(path, manifestName);
  return parseManifest(await readFile(file, 'utf8'), file);
}

/**
 * The folder contains the key of the fingerprints, and pages that others must not read. An existing folder keeps its
 * mode.
 */
const ownerOnly = 0o700;

/** Resolves to false if another process has made one meanwhile. */
function writeManifest(path: string, manifest: Manifest): Promise<boolean> {
  const text = `${JSON.stringify(manifest, null, 2)}\n`;
  return makeFile(join(path, manifestName), text, randomBytes(6).toString('hex'), { mode: 0o600 });
}

function folderError(error: Error & { readonly code?: string }, path: string, option = '--data'): CrawlstreamError {
  if (error instanceof CrawlstreamError) return error;
  const code = error.code === 'ENOENT' ? (refusalAbove(path) ?? error.code) : error.code;
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new CrawlstreamError(
      'DISK_FULL',
      `the disk holding ${path} is full: free some disk space, then run the same command again`,
      error,
    );
  }
  const problem =
    code === 'ENOENT'
      ? `can't be made: choose another ${option}`
      : code === 'ENOTDIR' || code === 'EEXIST'
        ? `is not a folder: choose another ${option}`
        : code === 'EROFS'
          ? `is on a file system that is mounted read-only: choose another ${option}`
          : code === 'EACCES' || code === 'EPERM'
            ? `cannot be read and written by this user: change its permissions, or choose another ${option}`
            : `can't be used (${error.message}): choose another ${option}`;
  return new CrawlstreamError(
    'INVALID_ARGUMENT',
    `${option === '--data' ? 'data folder' : option} ${path} ${problem}`,
    error,
  );
}
