/** Plugins from files, in the order they are named; version and hash identify the code that decided. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { checkPlugin } from './check-plugin.ts';
import { importFile } from './import-file.ts';
import type { Plugin } from './plugin.ts';

export interface LoadedPlugin {
  readonly plugin: Plugin;
  readonly path: string;
  /** Hash of the file that was named, hexadecimal: files that it imports are not covered. */
  readonly sha256: string;
}

/** Paths are absolute. `ours`: names of processors that are taken. Throws INVALID_ARGUMENT. */
export async function loadPlugins(paths: readonly string[], ours: readonly string[]): Promise<LoadedPlugin[]> {
  const loaded: LoadedPlugin[] = [];
  for (const path of paths) {
    const { default: given } = await importFile('--plugin', path);
    if (given === undefined) {
      throw new CrawlstreamError(
        'INVALID_ARGUMENT',
        `--plugin ${path}: export a plugin as default, as in export default { name: 'mine', urlFilter: ({ url }) => true }`,
      );
    }
    const plugin = checkPlugin(given, `--plugin ${path}`, ours);
    const before = loaded.find((one) => one.plugin.name === plugin.name);
    if (before !== undefined) {
      throw new CrawlstreamError(
        'INVALID_ARGUMENT',
        `--plugin ${path}: name: ${before.path} already has the name ${plugin.name}; choose another name`,
      );
    }
    loaded.push({
      plugin,
      path,
      sha256: createHash('sha256')
        .update(await readFile(path))
        .digest('hex'),
    });
  }
  return loaded;
}
