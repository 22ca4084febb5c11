/** Crawlee from the npm registry, in a project that has this tree as `crawlstream`. */
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { npmPackages } from './npm-packages.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** The first installation takes a while, and blocks this process. */
export function crawleeModules(): string {
  return npmPackages('crawlee-3.18.1', ['crawlee@3.18.1']);
}

/** Makes `folder` a project that has `crawlee` and `crawlstream` installed. */
export function makeCrawleeProject(folder: string): string {
  mkdirSync(join(folder, 'node_modules'), { recursive: true });
  symlinkSync(join(crawleeModules(), 'crawlee'), join(folder, 'node_modules/crawlee'));
  symlinkSync(root, join(folder, 'node_modules/crawlstream'));
  return folder;
}
