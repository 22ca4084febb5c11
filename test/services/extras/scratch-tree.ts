/** A copy of the sources in which extras can be removed or added, compiled, and run. */
import { spawn } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { installed } from '../../../services/extras/installed.ts';
import { root } from '../../run/files.ts';
import { temporaryFolder } from '../runtime/store/temporary-folder.ts';

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export class ScratchTree {
  readonly folder = join(temporaryFolder(), 'tree');
  /** Folders that were removed, as paths from the tree. */
  readonly #removed: string[] = [];

  /** `parts`: folders of the sources beside those of the product. */
  constructor(parts: readonly string[] = []) {
    const page = join('services', 'extras', 'dashboard', 'page');
    for (const part of ['package.json', 'tsconfig.json', 'clients', 'lab', 'schemas', 'services', 'topology', ...parts])
      cpSync(join(root, part), join(this.folder, part), { recursive: true });
    symlinkSync(join(root, 'node_modules'), join(this.folder, 'node_modules'));
    const { folder } = this;
    const options = {
      extends: './tsconfig.json',
      // A tree that is compiled several times checks only what its changes reach.
      compilerOptions: { noEmit: true, incremental: true, tsBuildInfoFile: './product.tsbuildinfo' },
      include: ['topology', 'services', 'schemas'],
      exclude: [page],
    };
    writeFileSync(join(folder, 'product.json'), JSON.stringify(options));
  }

  /** Also removes those that declare that they use it. */
  remove(name: string): readonly string[] {
    const removed = withUsers(name);
    for (const one of removed)
      for (const part of ['services', 'topology', 'test/services', 'test/topology'])
        this.#putAside(join(part, 'extras', one));
    return removed;
  }

  /** Puts back all that was removed. */
  restore(): void {
    for (const path of this.#removed.splice(0)) renameSync(this.#aside(path), join(this.folder, path));
  }

  #putAside(path: string): void {
    if (!this.has(path)) return;
    mkdirSync(dirname(this.#aside(path)), { recursive: true });
    renameSync(join(this.folder, path), this.#aside(path));
    this.#removed.push(path);
  }

  #aside(path: string): string {
    return join(dirname(this.folder), 'removed', path);
  }

  write(file: string, text: string): void {
    writeFileSync(join(this.folder, file), text);
  }

  has(file: string): boolean {
    return existsSync(join(this.folder, file));
  }

  /** Sources that are new or differ from those of this tree. Nothing else is copied but what is linked. */
  changed(): string[] {
    return ['topology', 'services', 'schemas', 'clients', 'lab'].flatMap((part) =>
      readdirSync(join(this.folder, part), { recursive: true, encoding: 'utf8' })
        .map((name) => join(part, name))
        .filter((name) => statSync(join(this.folder, name)).isFile())
        .filter((name) => !existsSync(join(root, name)) || this.read(name) !== readFileSync(join(root, name), 'utf8')),
    );
  }

  read(file: string): string {
    return readFileSync(join(this.folder, file), 'utf8');
  }

  listExtras(): Promise<Ended> {
    return this.node('--import', 'tsx', 'services/extras/list-extras.ts');
  }

  /** Writes the list of extras, types and pages again. */
  generate(): Promise<Ended> {
    return this.node('--import', 'tsx', 'services/reference/generate.ts');
  }

  compile(): Promise<Ended> {
    return this.node('node_modules/typescript/bin/tsc', '-p', 'product.json');
  }

  crawlstream(...words: string[]): Promise<Ended> {
    return this.node('--import', 'tsx', 'services/cli/main.ts', ...words);
  }

  async node(...words: string[]): Promise<Ended> {
    // A test that starts tests: by this name Node would take them for its parts.
    const env = { ...process.env, NODE_TEST_CONTEXT: undefined };
    const child = spawn(process.execPath, words, { cwd: this.folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const [stdout, stderr, code] = await Promise.all([
      textOf(child.stdout),
      textOf(child.stderr),
      new Promise<number | null>((resolve, reject) => child.once('close', resolve).once('error', reject)),
    ]);
    return { code, stdout, stderr };
  }
}

async function textOf(stream: AsyncIterable<Buffer>): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(part);
  return Buffer.concat(parts).toString();
}

/** The extra and all that cannot be built without it. */
export function withUsers(name: string): readonly string[] {
  const found = new Set([name]);
  for (let before = 0; before !== found.size; ) {
    before = found.size;
    for (const extra of installed) if (extra.uses?.some((used) => found.has(used))) found.add(extra.name);
  }
  return [...found];
}
