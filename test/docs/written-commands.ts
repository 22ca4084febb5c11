/** The commands that the documentation tells people to type: of blocks of shell, and of text in backticks. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../', import.meta.url));

export interface WrittenCommand {
  /** As in `README.md:12`. */
  readonly place: string;
  /** After `crawlstream`. */
  readonly words: readonly string[];
  readonly inBlock: boolean;
  /** By Docker Compose. */
  readonly inImage: boolean;
}

const called = /^(?:[A-Z_]+=\S+ )*(?:docker compose run --rm |npm run -s |npx )?crawlstream (?:-- )?(.*)$/;

export function pages(): string[] {
  const ofFolder = (folder: string) =>
    readdirSync(join(root, folder))
      .filter((name) => name.endsWith('.md'))
      .map((name) => join(folder, name));
  return [
    'README.md',
    'CONTRIBUTING.md',
    'services/README.md',
    'services/cli/README.md',
    'topology/README.md',
    ...ofFolder('docs'),
    ...ofFolder('docs/decisions'),
    ...ofFolder('deploy'),
  ];
}

export function writtenCommands(page: string): WrittenCommand[] {
  const commands: WrittenCommand[] = [];
  const take = (text: string, line: number, inBlock: boolean) => {
    const [, rest] = called.exec(text.trim()) ?? [];
    if (rest === undefined || /\[options\]|\[command\]/.test(rest)) return;
    const inImage = text.includes('docker compose');
    commands.push({ place: `${page}:${line}`, words: wordsOf(rest), inBlock, inImage });
  };
  let block: string | null = null;
  let before = '';
  for (const [at, line] of readFileSync(join(root, page), 'utf8').split('\n').entries()) {
    const fence = /^```(\w*)/.exec(line);
    if (fence !== null) {
      block = block === null ? fence[1]! : null;
      continue;
    }
    if (block === 'sh') {
      const whole = before + line;
      before = whole.endsWith('\\') ? whole.slice(0, -1) : '';
      if (before === '') take(whole, at + 1, true);
    } else if (block === null) {
      for (const [, text] of line.matchAll(/`([^`]+)`/g)) take(text!, at + 1, false);
    }
  }
  return commands;
}

/** As a shell parts them; what comes after a pipe, a redirection or a comment is not the command's. */
export function wordsOf(text: string): string[] {
  const words: string[] = [];
  for (const [, single, double, plain] of text.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)) {
    if (plain !== undefined && /^(\||>|>>|&&|&|#.*|2>.*)$/.test(plain)) break;
    words.push(single ?? double ?? plain!);
  }
  return words;
}
