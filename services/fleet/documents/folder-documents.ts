/** Documents of a fleet as files of its folder. */
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Documents } from './documents.ts';

/** What a kill has left half-way. */
const unfinished = '.new';

export function folderDocuments(folder: string): Documents {
  const pathOf = (key: string) => join(folder, ...key.split('/'));
  return {
    async get(key) {
      try {
        return await readFile(pathOf(key), 'utf8');
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
        throw error;
      }
    },
    async put(key, text) {
      const path = pathOf(key);
      // A folder of a crawl that is gone is not made again for what somebody writes late.
      const [top, ...rest] = key.split('/');
      if (rest.length > 0) await mkdir(join(folder, top!), { recursive: true, mode: 0o700 });
      const handle = await open(`${path}${unfinished}`, 'w', 0o600);
      try {
        await handle.writeFile(text);
        await handle.sync();
      } finally {
        await handle.close();
      }
      await rename(`${path}${unfinished}`, path);
    },
    delete: (key) => rm(pathOf(key), { force: true }),
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
