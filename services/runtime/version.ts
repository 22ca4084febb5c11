/** The product's own package: its version and folder, from its package.json. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly peerDependencies: Readonly<Record<string, string>>;
}

/** Finds the package's root: two folders up from its sources, and three up from the compiled files. */
function rootPackage(): Manifest & { readonly folder: string } {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    try {
      const found = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
      if (found.name === 'crawlstream') return { ...found, folder };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || folder === dirname(folder)) throw error;
    }
  }
}

/** True if TypeScript sources are running, and not compiled files. */
export const isSource = import.meta.url.endsWith('.ts');
export const productPackage = rootPackage();
export const productVersion = productPackage.version;
