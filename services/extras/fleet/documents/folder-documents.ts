/** Documents of a fleet as files in its folder. Changes of one document are made one at a time. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { unlessMissing } from '../../../runtime/disk/disk.ts';
import { makeFolder, putFile, removeFile } from '../../../runtime/disk/durable-names.ts';
import type { Documents } from './documents.ts';

/** Suffix of files that are being written; a kill leaves them. */
const unfinished = '.new';

export function folderDocuments(folder: string): Documents {
  const pathOf = (key: string) => join(folder, ...key.split('/'));
  /** The running changes, by key. Two changes at once would write to the same unfinished file. */
  const turns = new Map<string, Promise<void>>();
  const inTurn = (key: string, act: () => Promise<void>): Promise<void> => {
    const mine = (turns.get(key) ?? Promise.resolve()).then(act);
    const over = mine
      .catch(() => {})
      .then(() => {
        if (turns.get(key) === over) turns.delete(key);
      });
    turns.set(key, over);
    return mine;
  };
  const write = async (key: string, text: string) => {
    const path = pathOf(key);
    // The folder of a deleted crawl is not created again for a late write.
    const [top, ...rest] = key.split('/');
    if (rest.length > 0) await makeFolder(join(folder, top!), 0o700);
    await putFile(path, text, { mode: 0o600, aside: unfinished });
  };
  return {
    async get(key) {
      try {
        return await readFile(pathOf(key), 'utf8');
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
        throw error;
      }
    },
    put: (key, text) => inTurn(key, () => write(key, text)),
    delete: (key) => inTurn(key, () => unlessMissing(removeFile(pathOf(key)))),
    async keys(prefix) {
      const under = prefix.slice(0, prefix.lastIndexOf('/') + 1);
      const entries = await readdir(pathOf(under), { recursive: true, withFileTypes: true }).catch(() => []);
      const names = entries
        .filter((entry) => entry.isFile() && !entry.name.endsWith(unfinished))
        .map(({ parentPath, name }) =>
          join(parentPath, name)
            .slice(join(folder, '.').length)
            .replace(/^[/\\]/, ''),
        );
      return names
        .map((name) => name.replaceAll('\\', '/'))
        .filter((name) => name.startsWith(prefix))
        .sort();
    },
    placeOf: pathOf,
  };
}
