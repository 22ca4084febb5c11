/**
 * The page's files: markup and style from the sources, scripts as tsc has compiled them, and the chart library from its
 * package. Nothing is fetched from elsewhere; a name is a plain file name, so that none leads out of its folder.
 */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { productPackage } from '../../runtime/version.ts';

export interface Asset {
  readonly type: string;
  readonly body: Buffer;
}

const types: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
};

const written = join(productPackage.folder, 'services/extras/dashboard/page');
const built = join(productPackage.folder, 'dist/services/extras/dashboard');

/** Modules of the service that the page's scripts import, by name. They import nothing themselves. */
const shared: ReadonlyMap<string, string> = new Map([
  ['status.js', join(built, 'status.js')],
  ['words.js', join(productPackage.folder, 'dist/services/runtime/words.js')],
]);

/** Undefined: there is no such file. `name`: below `/dashboard/`. */
export async function assetOf(name: string): Promise<Asset | undefined> {
  const [, folder = '', file, extension] = /^(page\/)?([a-zA-Z][a-zA-Z.-]*\.(html|css|js|svg))$/.exec(name) ?? [];
  if (file === undefined) return undefined;
  const path = pathOf(folder, file, extension!);
  try {
    return { type: types[extension!]!, body: await readFile(path) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function pathOf(folder: string, file: string, extension: string): string {
  if (folder === '') return shared.get(file) ?? join(built, 'no-other');
  if (file.startsWith('uPlot.')) return join(dirname(createRequire(import.meta.url).resolve('uplot')), file);
  return extension === 'js' ? join(built, 'page', file) : join(written, file);
}
