/**
 * Bodies in files beside their records (schemas/responses.avsc, `bodyFile`), in a folder that fetchers share with the
 * archive.
 *
 * A file is removed once the WARC file with its body is durable. Its name is stored with that checkpoint, so that the
 * next start completes the removal after a kill.
 */
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Response } from '../../../schemas/types.ts';
import type { StateStore, StoreOp } from '../../runtime/store/store.ts';

export interface SharedBodies {
  /** Path of a record's body; null: it is gone, or not whole. */
  pathOf(response: Response): Promise<string | null>;
  /** Marks a body as archived, or as not to be archived: returns the rows to store with the checkpoint. */
  spend(response: Response): StoreOp[];
  /** Removes spent bodies, once that is durable. */
  removeSpent(): Promise<void>;
  /** Removes bodies last written before this time, ms since the Unix epoch, because no record names them. */
  sweep(beforeMs: number): Promise<void>;
}

/** Names that fetchers assign: a record must not lead out of the folder. */
const named = /^[0-9a-f-]{36}$/;

export async function openSharedBodies(folder: string, store: StateStore): Promise<SharedBodies> {
  let spent: string[] = [];
  /** Removed files that still have rows. */
  let removed: string[] = [];
  for await (const [key] of store.scan({ gte: Buffer.from('B'), lt: Buffer.from('C') })) {
    const name = key.toString('latin1', 1);
    await rm(join(folder, name), { force: true });
    removed.push(name);
  }
  return {
    async pathOf({ bodyFile, bodyBytes }) {
      if (!named.test(bodyFile)) return null;
      const path = join(folder, bodyFile);
      const found = await stat(path).catch(() => null);
      return found?.isFile() && found.size === bodyBytes ? path : null;
    },
    spend({ bodyFile }) {
      const ops: StoreOp[] = removed.map((name) => ({ key: spentKey(name), value: null }));
      removed = [];
      if (!named.test(bodyFile)) return ops;
      spent.push(bodyFile);
      return [...ops, { key: spentKey(bodyFile), value: Buffer.alloc(0) }];
    },
    async removeSpent() {
      const names = spent;
      spent = [];
      for (const name of names) await rm(join(folder, name), { force: true });
      removed.push(...names);
    },
    async sweep(beforeMs) {
      for (const name of await readdir(folder).catch(() => [])) {
        const path = join(folder, name);
        const { mtimeMs } = (await stat(path).catch(() => null)) ?? { mtimeMs: Number.POSITIVE_INFINITY };
        if (named.test(name.replace(/\.part$/, '')) && mtimeMs < beforeMs) await rm(path, { force: true });
      }
    },
  };
}

function spentKey(name: string): Buffer {
  return Buffer.from(`B${name}`, 'latin1');
}
