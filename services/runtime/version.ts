/** The product's own package: its release and its folder, as its package.json says and stands. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly peerDependencies: Readonly<Record<string, string>>;
}

/** The package's root is two folders up from its sources and three up from what is built. */
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

/** Is this run from TypeScript, and not from what was built of it? */
export const isSource = import.meta.url.endsWith('.ts');
export const productPackage = rootPackage();
export const productVersion = productPackage.version;
