/**
 * An exploration in a file, so that a later run takes it up: a line of JSON, and then the tables of the states that were
 * found, as they are in memory.
 */
import { readFile } from 'node:fs/promises';
import { endianness } from 'node:os';
import { putFile } from '../../../services/runtime/disk/durable-names.ts';
import type { Progress } from './explore.ts';

interface Head extends Omit<Progress, 'visited'> {
  readonly of: string;
  readonly order: string;
  readonly states: number;
}

/** Replaces the file. `of`: the world and its options; only the same go on from it. */
export async function keepProgress(file: string, of: string, { visited, ...rest }: Progress): Promise<void> {
  const { high, low, parents, moves } = visited;
  const head: Head = { of, order: endianness(), states: low.length, ...rest };
  const tables = [high, low, parents, moves].map((table) =>
    Buffer.from(table.buffer, table.byteOffset, table.byteLength),
  );
  await putFile(file, Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), ...tables]));
}

/** Undefined: there is no such file. Throws an error if it is damaged or of something else. */
export async function readProgress(file: string, of: string): Promise<Progress | undefined> {
  const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (bytes === undefined) return undefined;
  const end = bytes.indexOf('\n');
  const { of: kept, order, states, ...rest } = JSON.parse(bytes.toString('utf8', 0, end)) as Head;
  if (kept !== of || order !== endianness())
    throw new Error(`${file} keeps an exploration of "${kept}", not of "${of}": name another file`);
  if (bytes.length !== end + 1 + 14 * states) throw new Error(`${file} is damaged: remove it to begin again`);
  // Typed arrays begin at multiples of their size.
  const { buffer } = new Uint8Array(bytes.subarray(end + 1));
  const words = (at: number) => new Uint32Array(buffer, 4 * states * at, states);
  const visited = {
    high: words(0),
    low: words(1),
    parents: words(2),
    moves: new Uint16Array(buffer, 12 * states, states),
  };
  return { ...rest, visited };
}
