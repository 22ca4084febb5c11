/** The image's build stages played in a scratch folder: what the engine would send, what each stage copies, what it runs. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const dockerignore = createRequire(import.meta.url)('@balena/dockerignore') as () => {
  add(lines: string): { filter(paths: readonly string[]): string[] };
};

export const root = fileURLToPath(new URL('../..', import.meta.url));

/** The checkout's files, as paths from its root, that its .dockerignore leaves in the build context. */
export function contextFiles(): string[] {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root });
  const files = listed.toString().split('\0').filter(Boolean);
  return dockerignore()
    .add(readFileSync(join(root, '.dockerignore'), 'utf8'))
    .filter(files);
}

interface Stage {
  readonly from: string;
  readonly name: string;
  /** COPY and RUN, in order. */
  readonly steps: readonly { readonly copy: readonly string[]; readonly run: string }[];
}

/** The stages of the Dockerfile; copies out of other stages are left out. */
export function stagesOf(dockerfile: string): Stage[] {
  const stages: (Stage & { steps: { copy: string[]; run: string }[] })[] = [];
  /** Before the first stage: what a base may be named by. */
  const defaults = new Map<string, string>();
  const filled = (word: string) => word.replace(/^\$\{(\w+)\}$/, (_, name: string) => defaults.get(name) ?? '');
  for (const line of dockerfile.replaceAll('\\\n', ' ').split('\n')) {
    const [instruction = '', ...words] = line.trim().split(/\s+/);
    if (instruction === 'ARG' && stages.length === 0) {
      const [name = '', value = ''] = words[0]!.split('=');
      defaults.set(name, value);
    } else if (instruction === 'FROM') stages.push({ from: filled(words[0]!), name: words[2] ?? '', steps: [] });
    else if (instruction === 'RUN') stages.at(-1)!.steps.push({ copy: [], run: words.join(' ') });
    else if (instruction === 'COPY' && !words.some((word) => word.startsWith('--from=')))
      stages.at(-1)!.steps.push({ copy: words.filter((word) => !word.startsWith('--')), run: '' });
  }
  return stages;
}

/** What the image takes out of the stage that compiles, as paths from the checkout's root. */
export function takenFromBuild(dockerfile: string): string[] {
  const copies = dockerfile.replaceAll('\\\n', ' ').matchAll(/^COPY .*--from=build\s.*$/gm);
  return [...copies].flatMap(([line]) => {
    const words = line.split(/\s+/).filter((word) => word !== '' && !word.startsWith('--'));
    return words.slice(1, -1).map((path) => path.replace(/^\/app\//, ''));
  });
}

/**
 * Plays the stage that compiles, with what it is built on, in `folder`. The installation is not repeated: the checkout's
 * own `node_modules` stands for it.
 */
export function compileContext(folder: string): void {
  const stages = stagesOf(readFileSync(join(root, 'deploy/Dockerfile'), 'utf8'));
  const build = stages.find(({ name }) => name === 'build');
  if (!build) throw new Error('deploy/Dockerfile has no stage named "build"');
  const base = stages.find(({ name }) => name === build.from);
  const files = contextFiles();
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  for (const { copy, run } of [...(base?.steps ?? []), ...build.steps]) {
    const into = copy.at(-1);
    for (const from of copy.slice(0, -1)) copyPath(files, from, into!, folder);
    if (run && !run.startsWith('npm ci')) execFileSync('sh', ['-c', run], { cwd: folder, stdio: 'pipe' });
  }
}

/** As COPY does: a folder's content goes into the target, a file into it or under its name. */
function copyPath(files: readonly string[], from: string, into: string, folder: string): void {
  const taken = files.filter((file) => file === from || file.startsWith(`${from}/`));
  if (taken.length === 0) throw new Error(`COPY ${from}: not in the build context (.dockerignore)`);
  for (const file of taken) {
    const target = join(folder, file === from ? join(into, file) : join(into, file.slice(from.length + 1)));
    mkdirSync(dirname(target), { recursive: true });
    cpSync(join(root, file), target);
  }
}
