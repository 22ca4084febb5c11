/**
 * The folder of WARC files of one archiver: at most one of them open, rotated by size, each with its index beside it.
 *
 *   <name>.warc.gz.open, <name>.cdxj.open    being written; the index is not yet sorted
 *   <name>.warc.gz, <name>.cdxj              whole
 *
 * Invariant: what lies in the folder is what the newest checkpoint in the store says, or can be made so: bytes beyond
 * it are cut off at the next start, before the records they came from are read again. Checkpoint, positions and the
 * payloads met are one write. Every record is a gzip member of its own (WARC 1.1, annex D), so that any of them can be
 * read without the rest.
 */
import { mkdir, open, readdir, readFile, rename, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { StateStore, StoreOp } from '../runtime/store/store.ts';
import { finishReplacing } from './replaced-files.ts';

/** How much of the open file counts. `null`: none is open. `whole`: it is full, and about to be closed. */
interface Checkpoint {
  readonly name: string;
  readonly bytes: number;
  readonly indexBytes: number;
  readonly whole: boolean;
}

export interface WarcFolder {
  /** Name of the open file, as it will be; null: none is open. */
  readonly file: string | null;
  /** Its length, bytes. */
  readonly bytes: number;
  /** Opens a file. None may be open. */
  begin(name: string): void;
  /** Appends to the open file. Nothing is promised before `checkpoint`. */
  append(member: Buffer): void;
  /** The same for what does not fit in memory; resolves with its length once it is written. */
  appendAll(member: AsyncIterable<Buffer>): Promise<number>;
  /** A line of its index. */
  index(line: string): void;
  /** Makes all that was appended durable, together with `ops`. */
  checkpoint(ops: readonly StoreOp[]): Promise<void>;
  /** The same, and the open file is whole. */
  finish(ops: readonly StoreOp[]): Promise<void>;
  /** Whole files with their indexes, oldest first, by name. */
  files(): Promise<string[]>;
}

const checkpointKey = Buffer.from('C');
const suffix = '.warc.gz';

/** Brings the folder to its newest checkpoint. */
export async function openWarcFolder(folder: string, store: StateStore): Promise<WarcFolder> {
  await mkdir(folder, { recursive: true });
  await finishReplacing(folder, store);
  let current = await recover(folder, await readCheckpoint(store));
  let members: Buffer[] = [];
  /** Written, and not synced. */
  let isDirty = false;
  let lines = '';
  let bytes = current?.bytes ?? 0;
  let indexBytes = current?.indexBytes ?? 0;
  let name = current?.name ?? null;

  const write = async (whole: boolean, ops: readonly StoreOp[]) => {
    if (name !== null) {
      await appendSynced(pathOf(folder, name, `${suffix}.open`), Buffer.concat(members), isDirty);
      isDirty = false;
      await appendSynced(pathOf(folder, name, '.cdxj.open'), Buffer.from(lines));
      indexBytes += Buffer.byteLength(lines);
      current = { name, bytes, indexBytes, whole };
    }
    members = [];
    lines = '';
    const value = Buffer.from(JSON.stringify(current ?? null));
    await store.write([...ops, { key: checkpointKey, value }], { sync: true });
  };

  return {
    get file() {
      return name === null ? null : `${name}${suffix}`;
    },
    get bytes() {
      return bytes;
    },
    begin: (fresh) => {
      name = fresh;
      bytes = 0;
      indexBytes = 0;
    },
    append: (member) => {
      members.push(member);
      bytes += member.length;
    },
    async appendAll(member) {
      const handle = await open(pathOf(folder, name!, `${suffix}.open`), 'a');
      const before = bytes;
      try {
        isDirty = true;
        await handle.writeFile(Buffer.concat(members));
        members = [];
        for await (const chunk of member) {
          await handle.writeFile(chunk);
          bytes += chunk.length;
        }
      } finally {
        await handle.close();
      }
      return bytes - before;
    },
    index: (line) => {
      lines += `${line}\n`;
    },
    checkpoint: (ops) => write(false, ops),
    finish: async (ops) => {
      await write(true, ops);
      if (name !== null) await close(folder, name);
      name = null;
      current = undefined;
      // The checkpoint still says `whole`: the next start closes it again, to no effect.
    },
    files: async () => {
      const names = await readdir(folder);
      return names
        .filter((one) => one.endsWith(suffix))
        .map((one) => one.slice(0, -suffix.length))
        .sort();
    },
  };
}

async function readCheckpoint(store: StateStore): Promise<Checkpoint | undefined> {
  const value = await store.get(checkpointKey);
  return value === undefined ? undefined : ((JSON.parse(value.toString()) as Checkpoint | null) ?? undefined);
}

async function recover(folder: string, checkpoint: Checkpoint | undefined): Promise<Checkpoint | undefined> {
  for (const one of await readdir(folder)) {
    const [, name] = /^(.*)\.(?:warc\.gz|cdxj)\.(?:open|new)$/.exec(one) ?? [];
    // The file was begun after the checkpoint: its records will be written again.
    if (name !== undefined && name !== checkpoint?.name) await rm(join(folder, one));
  }
  if (checkpoint === undefined) return undefined;
  const { name, bytes, indexBytes, whole } = checkpoint;
  if (whole) {
    await close(folder, name);
    return undefined;
  }
  await cutTo(pathOf(folder, name, `${suffix}.open`), bytes);
  await cutTo(pathOf(folder, name, '.cdxj.open'), indexBytes);
  return checkpoint;
}

/** Sorts the index, then gives both their names, the index first: a WARC file under its name has one. */
async function close(folder: string, name: string): Promise<void> {
  const open = pathOf(folder, name, `${suffix}.open`);
  if (!(await exists(open))) return;
  const unsorted = pathOf(folder, name, '.cdxj.open');
  const index = pathOf(folder, name, '.cdxj');
  if (await exists(unsorted)) {
    const lines = (await readFile(unsorted, 'utf8')).split('\n').filter((line) => line !== '');
    await writeFile(
      `${index}.new`,
      lines
        .sort()
        .map((line) => `${line}\n`)
        .join(''),
      { flush: true },
    );
    await rename(`${index}.new`, index);
  }
  await rename(open, pathOf(folder, name, suffix));
  await rm(unsorted, { force: true });
}

function pathOf(folder: string, name: string, ending: string): string {
  return join(folder, `${name}${ending}`);
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

async function cutTo(path: string, bytes: number): Promise<void> {
  if (await exists(path)) await truncate(path, bytes);
}

async function appendSynced(path: string, bytes: Buffer, isDirty = false): Promise<void> {
  if (bytes.length === 0 && !isDirty) return;
  const handle = await open(path, 'a');
  try {
    await handle.writeFile(bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
