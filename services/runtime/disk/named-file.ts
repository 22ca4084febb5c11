/**
 * A file that a user named for output: `--out`, a dump, a list. It is written like `open()` with O_TRUNC (curl -o,
 * sort -o, `>`), except that a regular file is always either complete or the previous one:
 *
 * | the name leads to | what happens |
 * | --- | --- |
 * | nothing, or a regular file | written beside it, under a unique name, and renamed; mode and owner are kept |
 * | a symbolic link | its target is written, and the link stays; also if the target does not exist yet |
 * | a pipe, a device | written through |
 * | standard output or error (`/dev/stdout`, `/dev/fd/1`) | written there, after earlier output |
 * | a regular file with other names (hard links), or in a folder in which we cannot create or rename files | written in place |
 * | a file that may not be written, a folder | refused |
 */
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { access, copyFile, lstat, open, readlink, rename, rm, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { Writable } from 'node:stream';
import { CrawlstreamError } from '../../../topology/errors.ts';
import type { DiskFile } from './disk.ts';
import { unlessMissing } from './disk.ts';
import { diskLimits } from './disk-limits.ts';
import { syncFolder, withFile } from './durable-names.ts';
import { writeWhole } from './write-whole.ts';

export interface NamedFile {
  /** Resolves once the bytes have left this process. */
  write(bytes: string | Uint8Array): Promise<void>;
  /** All is written: the file is there under its name, and survives a power cut. */
  finish(): Promise<void>;
  /** Call after a failure: an existing regular file stays unchanged. */
  abandon(): Promise<void>;
}

/** Throws INVALID_ARGUMENT if the file cannot be written, DISK_FULL if there is no room; so do its methods. */
export async function openNamedFile(name: string): Promise<NamedFile> {
  return guarded(name, async () => {
    const place = await placeOf(name);
    return 'stream' in place ? ontoStream(name, place.stream) : toFile(name, place.path);
  });
}

/** Writes the whole file at once. */
export async function writeNamedFile(name: string, bytes: string | Uint8Array): Promise<void> {
  const file = await openNamedFile(name);
  try {
    await file.write(bytes);
    await file.finish();
  } catch (error) {
    await file.abandon();
    throw error;
  }
}

/** Returns whether the name leads to this process's standard output; messages then go elsewhere. */
export async function isStandardOutput(name: string): Promise<boolean> {
  const place = await placeOf(name).catch(() => undefined);
  return place !== undefined && 'stream' in place && place.stream === process.stdout;
}

/**
 * The folder for temporary files while the file is made: its own folder, if it is a file and others can be created
 * beside it.
 */
export async function folderBeside(name: string): Promise<string | undefined> {
  try {
    const place = await placeOf(name);
    if ('stream' in place) return undefined;
    const found = await unlessMissing(stat(place.path));
    if (found?.isFile() === false) return undefined;
    const folder = dirname(place.path);
    await access(folder, constants.W_OK);
    return folder;
  } catch {
    return undefined;
  }
}

/** The file as a stream. The end of the stream does not finish the file: the caller must. */
export function streamInto(file: Pick<NamedFile, 'write'>): Writable {
  return new Writable({
    decodeStrings: true,
    highWaterMark: diskLimits.namedFileBufferBytes,
    write(chunk: Buffer, _, done) {
      file.write(chunk).then(() => done(), done);
    },
    writev(chunks, done) {
      file.write(Buffer.concat(chunks.map(({ chunk }) => chunk as Buffer))).then(() => done(), done);
    },
  });
}

type Place = { readonly path: string } | { readonly stream: NodeJS.WriteStream };

/** The target of the name, with symbolic links followed, because `rename` would replace the last link by a file. */
async function placeOf(name: string): Promise<Place> {
  let path = resolve(name);
  for (let links = 0; ; links++) {
    const [, standard] = standardStreams.exec(path) ?? [];
    if (standard !== undefined) return { stream: /^(1|out)$/.test(standard) ? process.stdout : process.stderr };
    // A descriptor's entry in /proc looks like a link, but its target may have no path.
    if (/^\/(dev|proc\/[^/]+)\/fd\/\d+$/.test(path)) return { path };
    const found = await unlessMissing(lstat(path));
    if (found?.isSymbolicLink() !== true) return { path };
    if (links === diskLimits.linksMax) throw new Error('its symbolic links form a loop');
    path = resolve(dirname(path), await readlink(path));
  }
}

const standardStreams = new RegExp(`^/(?:dev|proc/(?:self|${process.pid}))/(?:fd/(?=[12]$)|std(?=out$|err$))(.+)$`);

function ontoStream(name: string, stream: NodeJS.WriteStream): NamedFile {
  return {
    write: (bytes) =>
      guarded(
        name,
        () => new Promise((done, failed) => stream.write(bytes, (error) => (error ? failed(error) : done()))),
      ),
    finish: async () => {},
    abandon: async () => {},
  };
}

/** `path`: no symbolic link. */
async function toFile(name: string, path: string): Promise<NamedFile> {
  const found = await unlessMissing(stat(path));
  if (found?.isDirectory()) throw new Error('it is a folder');
  if (found !== undefined) await access(path, constants.W_OK);
  if (found !== undefined && !found.isFile()) return through(name, await open(path, 'w'), false);
  const mode = found === undefined ? undefined : found.mode & 0o7777;
  const inPlace = async () => through(name, await open(path, 'w'), true);
  if (found !== undefined && found.nlink > 1) return inPlace();
  const aside = `${path}.${process.pid}-${randomBytes(4).toString('hex')}.new`;
  let file: Awaited<ReturnType<typeof open>>;
  try {
    file = await open(aside, 'wx', mode);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (found === undefined || !['EACCES', 'EPERM', 'EROFS', 'ENAMETOOLONG'].includes(code ?? '')) throw error;
    return inPlace();
  }
  try {
    if (found !== undefined) {
      const { uid, gid } = await file.stat();
      // Only root may change the owner of a file; for other users, as much as permitted is kept.
      if (uid !== found.uid || gid !== found.gid) await file.chown(found.uid, found.gid).catch(() => {});
      await file.chmod(mode!);
    }
  } catch (error) {
    await file.close();
    await rm(aside, { force: true });
    throw error;
  }
  return beside(name, path, aside, file);
}

function beside(name: string, path: string, aside: string, file: Awaited<ReturnType<typeof open>>): NamedFile {
  return {
    write: (bytes) => guarded(name, () => writeWhole(file, [bufferOf(bytes)])),
    finish: () =>
      guarded(name, async () => {
        await file.sync();
        await file.close();
        await replace(aside, path);
        await syncFolder(dirname(path));
      }),
    abandon: async () => {
      await file.close().catch(() => {});
      await rm(aside, { force: true }).catch(() => {});
    },
  };
}

/** A file that is a mount point, or another user's in a folder like /tmp, can be written and not replaced. */
async function replace(aside: string, path: string): Promise<void> {
  try {
    await rename(aside, path);
  } catch (error) {
    if (!['EBUSY', 'EXDEV', 'EPERM', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    await copyFile(aside, path);
    await withFile(await open(path, 'r+'), (file) => file.sync());
    await rm(aside, { force: true });
  }
}

function through(name: string, file: DiskFile, isRegular: boolean): NamedFile {
  return {
    write: (bytes) => guarded(name, () => writeWhole(file, [bufferOf(bytes)])),
    finish: () =>
      guarded(name, async () => {
        if (isRegular) await file.sync();
        await file.close();
      }),
    abandon: () => file.close().catch(() => {}),
  };
}

function bufferOf(bytes: string | Uint8Array): Buffer {
  return typeof bytes === 'string' ? Buffer.from(bytes) : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

async function guarded<T>(name: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof CrawlstreamError) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOSPC' || code === 'EDQUOT')
      throw new CrawlstreamError(
        'DISK_FULL',
        `the disk holding ${name} is full: free some disk space, then run it again`,
        error,
      );
    if (code === 'EPIPE')
      throw new CrawlstreamError(
        'INVALID_ARGUMENT',
        `the program that reads ${name} has ended: run the command again with a reader`,
        error,
      );
    throw new CrawlstreamError('INVALID_ARGUMENT', `${name} can't be written: ${message}; choose another file`, error);
  }
}
