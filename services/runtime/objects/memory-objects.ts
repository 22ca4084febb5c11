/** The object store's twin in memory, for tests and the simulator: same contract, no disk. */
import { readFile } from 'node:fs/promises';
import type { ObjectStore } from './objects.ts';

/** `objects`: what another process left. */
export function createMemoryObjects(objects: Map<string, Buffer> = new Map()): ObjectStore {
  return {
    place: 'memory',
    put: async (name, bytes) => void objects.set(name, Buffer.from(bytes)),
    putFile: async (name, path) => void objects.set(name, await readFile(path)),
    get: async (name) => objects.get(name),
    list: async (folder) => [...objects.keys()].filter((name) => name.startsWith(folder)).sort(),
    remove: async (names) => {
      for (const name of names) objects.delete(name);
    },
    close: () => {},
  };
}
