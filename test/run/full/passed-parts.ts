/**
 * Which parts have passed on the sources as they are, and how long each took: `.cache/verify-full.json`. Hours may be cut off,
 * and go on where they were. Sources that are not committed as they are have no name, so nothing is kept of them.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export interface PassedParts {
  /** Part → seconds. */
  readonly seconds: ReadonlyMap<string, number>;
  /** `took` null: it has failed. In one step. */
  note(part: string, took: number | null): void;
}

const place = '.cache/verify-full.json';

/** `root`: of the checkout. `anew`: as if none had passed. */
export function readPassed(root: string, anew: boolean): PassedParts {
  const tree = treeOf(root);
  const path = join(root, place);
  const seconds = new Map<string, number>(anew || tree === null ? [] : keptOf(path, tree));
  return {
    seconds,
    note(part, took) {
      const put = (kept: Map<string, number>) => (took === null ? kept.delete(part) : kept.set(part, took));
      put(seconds);
      // What was changed meanwhile is not what was tried.
      if (tree === null || treeOf(root) !== tree) return;
      // Another terminal may have run other parts since.
      const kept = new Map(keptOf(path, tree));
      put(kept);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(`${path}.new`, JSON.stringify({ tree, node: process.version, seconds: Object.fromEntries(kept) }));
      renameSync(`${path}.new`, path);
    },
  };
}

function keptOf(path: string, tree: string): [string, number][] {
  try {
    const kept = JSON.parse(readFileSync(path, 'utf8')) as {
      tree: string;
      node: string;
      seconds: Record<string, number>;
    };
    return kept.tree === tree && kept.node === process.version ? Object.entries(kept.seconds) : [];
  } catch {
    // Never begun, or not by this version.
    return [];
  }
}

/** Git's name of all that is committed; null: something else is in the folder, or it is no checkout. */
function treeOf(root: string): string | null {
  const git = (...args: string[]) => spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  const [status, tree] = [git('status', '--porcelain'), git('rev-parse', 'HEAD^{tree}')];
  return status.status === 0 && status.stdout === '' && tree.status === 0 ? tree.stdout.trim() : null;
}
