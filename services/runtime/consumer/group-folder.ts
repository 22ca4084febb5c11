/**
 * What a consumer of a data folder keeps for itself, in a state store of its own: positions and dead letters.
 *
 *   P <topic> 0 <partition u16>   the next offset to read, u48
 *   D <number u48>                a dead letter, JSON, the original bytes in base64
 *
 * The store's lock keeps a second process of the same group out.
 */
import { existsSync } from 'node:fs';
import type { DeadLetter } from '../../../schemas/types.ts';
import type { Position } from '../log/log.ts';
import { openStateStore } from '../store/open-store.ts';
import type { StateStore, StoreOp } from '../store/store.ts';
import type { Positions } from './positions.ts';

export interface GroupFolder {
  readonly positions: Positions;
  /** Resolves once they are durable. */
  keepLetters(letters: readonly DeadLetter[]): Promise<void>;
  close(): Promise<void>;
}

const letterSpace = 0x44;
const letterRange = { gte: Buffer.from([letterSpace]), lt: Buffer.from([letterSpace + 1]) };

/** Throws DATA_FOLDER_LOCKED where another process holds it. */
export async function openGroupFolder(folder: string): Promise<GroupFolder> {
  const store = await openStateStore(folder, { writeBufferBytes: 1 << 20 });
  let next = await lettersSoFar(store);
  return {
    positions: storePositions(store),
    keepLetters: async (letters) => {
      const ops = letters.map((letter) => ({ key: letterKey(next++), value: letterValue(letter) }));
      await store.write(ops, { sync: true });
    },
    close: () => store.close(),
  };
}

/** The dead letters of a group; none where there is no such group. */
export async function readGroupLetters(folder: string): Promise<DeadLetter[]> {
  if (!existsSync(folder)) return [];
  const store = await openStateStore(folder, { readOnly: true });
  try {
    const letters: DeadLetter[] = [];
    for await (const [, value] of store.scan(letterRange)) letters.push(letterOfValue(value));
    return letters;
  } finally {
    await store.close();
  }
}

/** Positions kept in a state store, among rows of others. */
export function storePositions(store: StateStore): Positions {
  return {
    load: async (topic, partition) => {
      const value = await store.get(positionKey(topic, partition));
      return value?.readUIntBE(0, 6);
    },
    save: (positions) => store.write(positions.map(positionRow)),
  };
}

export function positionRow({ topic, partition, offset }: Position): StoreOp {
  const value = Buffer.alloc(6);
  value.writeUIntBE(offset, 0, 6);
  return { key: positionKey(topic, partition), value };
}

function positionKey(topic: string, partition: number): Buffer {
  const number = Buffer.alloc(2);
  number.writeUInt16BE(partition);
  return Buffer.concat([Buffer.from(`P${topic}\0`), number]);
}

async function lettersSoFar(store: StateStore): Promise<number> {
  for await (const [key] of store.scan({ ...letterRange, reverse: true, limit: 1 })) return key.readUIntBE(1, 6) + 1;
  return 0;
}

function letterKey(number: number): Buffer {
  const key = Buffer.alloc(7);
  key[0] = letterSpace;
  key.writeUIntBE(number, 1, 6);
  return key;
}

function letterValue(letter: DeadLetter): Buffer {
  return Buffer.from(JSON.stringify({ ...letter, original: Buffer.from(letter.original).toString('base64') }));
}

function letterOfValue(value: Buffer): DeadLetter {
  const letter = JSON.parse(value.toString()) as DeadLetter & { original: string };
  return { ...letter, original: Buffer.from(letter.original, 'base64') };
}
