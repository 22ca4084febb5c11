/**
 * Every regular expression of the product, held against a checker of backtracking (recheck): none that a stranger's text
 * reaches takes time beyond its length. Those that look only at our own or the operator's words are named, with the reason.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { parse } from '@babel/parser';
import { fetchOnce } from '../../lab/kafka/components.ts';
import { root } from '../run/files.ts';

const run = promisify(execFile);
const recheck = 'recheck@4.5.0';
/** For one expression: most take milliseconds; a machine with other work takes its time. ms */
const patienceMs = 20_000;

type Check = (source: string, flags: string, options: object) => Promise<Verdict>;

interface Verdict {
  readonly status: 'safe' | 'vulnerable' | 'unknown';
  readonly complexity?: { readonly summary: string };
  readonly attack?: { readonly pattern: string };
}

interface Literal {
  readonly file: string;
  readonly line: number;
  readonly source: string;
  readonly flags: string;
}

const ours = 'our own text, of one line';
const operators = 'what an operator types, of one line';
/** By file and source. What a stranger writes must never be among them unless its length is bounded, and by what. */
const known: Readonly<Record<string, string>> = {
  'services/cli/config/describe-settings.ts  \\(default: .*\\)$': ours,
  'services/cli/config/describe-settings.ts \\(default: (.*)\\)$': ours,
  'services/cli/flags/arguments.ts ^[^\\s@()]+@[^\\s@()]+\\.[^\\s@()]+$': operators,
  'services/cli/flags/certificates.ts -----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----':
    'a file of the operator’s',
  'services/extras/dashboard/command/dashboard-command.ts \\/+$': operators,
  'services/cli/operate/reset-command.ts \\.(fetcher|frontier.*)$': 'names of groups, of 255 characters at most',
  'services/planning/strimzi.ts ^-+|-+$': 'a crawl’s name, of 100 characters at most',
  'services/reference/chart/template-marks.ts ^( *)(env|envFrom|ingress|volumes):\\n( *\\{\\{- with .+ \\}\\}\\n)(.*\\n *\\{\\{- end \\}\\}\\n)':
    ours,
  'services/reference/interface-comments.ts \\/\\*\\*([\\s\\S]*?)\\*\\/|readonly (\\w+)\\??:': ours,
  'services/reference/interface-comments.ts \\s*\\n\\s*\\*?\\s*': ours,
  'services/reference/limits-page.ts (?:\\/\\*\\*([^/]*?)\\*\\/\\n)?export const (\\w+) = \\{\\n([\\s\\S]*?)\\n\\} as const;':
    ours,
  'services/reference/limits-page.ts \\/\\*\\*([\\s\\S]*?)\\*\\/|^ {2}(\\w+):': ours,
  'services/reference/limits-page.ts \\s*\\n\\s*\\*?\\s*': ours,
  'services/extras/dashboard/page/numbers.ts \\.?0+$': 'a number, in digits',
};
/** Expressions of strangers' text that the checker cannot decide or finds quadratic, and what bounds the text. */
const bounded: Readonly<Record<string, string>> = {
  'services/fetcher/pages/page-type.ts': 'the first 4,096 bytes of a body',
  'topology/parse/soft-404.ts': 'titles of 60 characters at most',
  'topology/content/language.ts': 'words of 100 characters at most',
  'topology/extras/dedup/near-duplicate.ts': 'titles whose blanks are single',
  'topology/policy/traps/known-views.ts': 'addresses of 512 characters at most',
};

describe('regular expressions of the product', { timeout: 580_000 }, () => {
  let check: Check;
  before(async () => {
    const folder = await fetchOnce(recheck.replace('@', '-'), (into) =>
      run('npm', ['install', '--prefix', into, '--no-audit', '--no-fund', '--ignore-scripts', recheck]),
    );
    ({ check } = createRequire(join(folder, 'package.json'))('recheck') as { readonly check: Check });
  });

  it('no regular expression that strangers reach takes more than linear time', async () => {
    const literals = ['topology', 'services', 'schemas'].flatMap(literalsIn);
    assert.ok(literals.length > 250, `${literals.length} found`);
    const found: string[] = [];
    for (const { file, line, source, flags } of literals) {
      const { status, complexity, attack } = await check(source, flags, { timeout: patienceMs });
      if (status === 'safe') continue;
      const name = `${file} ${source}`;
      if (name in known || file in bounded) continue;
      found.push(`${file}:${line} /${source}/${flags}: ${complexity?.summary ?? status}, as by ${attack?.pattern}`);
    }
    assert.deepEqual(found, []);
    // What is excused is there: an entry that fits nothing any more goes.
    for (const name of Object.keys(known))
      assert.ok(
        literals.some((one) => `${one.file} ${one.source}` === name),
        name,
      );
    for (const file of Object.keys(bounded))
      assert.ok(
        literals.some((one) => one.file === file),
        file,
      );
  });

  it('the checker finds the expression that blocked a fetcher, and passes its repaired form', async () => {
    const evil = '^(?:\\s*(?:x-gzip|gzip|identity|none)?\\s*(?:,|$))*$';
    assert.equal((await check(evil, 'i', { timeout: patienceMs })).status, 'vulnerable');
    assert.equal((await check('^(?:x-gzip|gzip|identity|none)$', 'i', { timeout: patienceMs })).status, 'safe');
  });
});

function literalsIn(folder: string): Literal[] {
  const files = readdirSync(join(root, folder), { recursive: true }).map((name) => `${folder}/${name}`);
  return files
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'))
    .flatMap((file) => {
      const { program } = parse(readFileSync(join(root, file), 'utf8'), {
        sourceType: 'module',
        plugins: ['typescript'],
      });
      const found: Literal[] = [];
      visit(program, ({ type, pattern, flags, loc }) => {
        if (type === 'RegExpLiteral') found.push({ file, line: loc.start.line, source: pattern!, flags: flags! });
      });
      return found;
    });
}

interface Node {
  readonly type: string;
  readonly pattern?: string;
  readonly flags?: string;
  readonly loc: { readonly start: { readonly line: number } };
}

function visit(node: unknown, see: (node: Node) => void): void {
  if (typeof node !== 'object' || node === null) return;
  if (Array.isArray(node)) for (const one of node) visit(one, see);
  else if ('type' in node) {
    see(node as unknown as Node);
    for (const [field, value] of Object.entries(node)) if (field !== 'loc') visit(value, see);
  }
}
