/**
 * The data of a consumer of a data folder, in a separate state store: positions and dead letters.
 *
 *   P <topic> 0 <partition u16>   the next offset to read, u48
 *   D <number u48>                a dead letter, JSON, the original bytes in base64
 *
 * The store's lock excludes a second process of the same group.
 */
import { existsSync } from 'node:fs';
import type { DeadLetter } from '../../../schemas/types.ts';
import type { Position } from '../log/log.ts';
import { openStateStore } from '../store/open-store.ts';
import type { StateStore, StoreOp } from '../store/store.ts';
import type { Positions } from './positions.ts';

export interface GroupFolder {
  readonly positions: Positions;
  /** Resolves once the dead letters are durable. */
  keepDeadLetters(deadLetters: readonly DeadLetter[]): Promise<void>;
  close(): Promise<void>;
}

const deadLetterSpace = 0x44;
const deadLetterRange = { gte: Buffer.from([deadLetterSpace]), lt: Buffer.from([deadLetterSpace + 1]) };

/** Throws DATA_FOLDER_LOCKED if another process uses the folder. */
export async function openGroupFolder(folder: string): Promise<GroupFolder> {
  const store = await openStateStore(folder, { writeBufferBytes: 1 << 20 });
  let next = await deadLettersSoFar(store);
  return {
    positions: storePositions(store),
    keepDeadLetters: async (deadLetters) => {
      const ops = deadLetters.map((deadLetter) => ({ key: deadLetterKey(next++), value: deadLetterValue(deadLetter) }));
      await store.write(ops, { sync: true });
    },
    close: () => store.close(),
  };
}

/** The dead letters of a group; empty if the group does not exist. */
export async function readGroupDeadLetters(folder: string): Promise<DeadLetter[]> {
  if (!existsSync(folder)) return [];
  const store = await openStateStore(folder, { readOnly: true });
  try {
    const deadLetters: DeadLetter[] = [];
    for await (const [, value] of store.scan(deadLetterRange)) deadLetters.push(deadLetterOfValue(value));
    return deadLetters;
  } finally {
    await store.close();
  }
}

/** Positions in a state store, among other rows. */
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

async function deadLettersSoFar(store: StateStore): Promise<number> {
  for await (const [key] of store.scan({ ...deadLetterRange, reverse: true, limit: 1 }))
    return key.readUIntBE(1, 6) + 1;
  return 0;
}

function deadLetterKey(number: number): Buffer {
  const key = Buffer.alloc(7);
  key[0] = deadLetterSpace;
  key.writeUIntBE(number, 1, 6);
  return key;
}

function deadLetterValue(deadLetter: DeadLetter): Buffer {
  return Buffer.from(JSON.stringify({ ...deadLetter, original: Buffer.from(deadLetter.original).toString('base64') }));
}

function deadLetterOfValue(value: Buffer): DeadLetter {
  const deadLetter = JSON.parse(value.toString()) as DeadLetter & { original: string };
  return { ...deadLetter, original: Buffer.from(deadLetter.original, 'base64') };
}
