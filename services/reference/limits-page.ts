/** docs/limits.md: every bound, from the files of limits, each of which is next to the code that it limits. */
import { readdirSync, readFileSync } from 'node:fs';

const root = new URL('../../', import.meta.url);

const head = `# Limits

- All input from outside is bounded: the web, other programs, operators.
- This page lists every bound with its value and its reason. Units are in the names.
- Operators can set some bounds: by a flag in [CONFIGURATION.md](../deploy/CONFIGURATION.md), or a field of the [policy](policy.md).
- Tests check the edges of bounds where possible ([test/boundaries](../test/boundaries)).
- \`npm run generate\` writes this page from files named \`…-limits.ts\`. Each is in the folder of what it limits.
`;

export async function limitsPage(): Promise<string> {
  const files = ['schemas', 'topology', 'services'].flatMap((part) =>
    (readdirSync(new URL(part, root), { recursive: true }) as string[])
      .filter((name) => name.endsWith('limits.ts'))
      .map((name) => `${part}/${name}`),
  );
  const sections: string[] = [];
  for (const file of files.sort()) sections.push(...(await sectionsOf(file)));
  return `${head}${sections.join('')}`;
}

/** One for each group of limits that the file exports. */
async function sectionsOf(file: string): Promise<string[]> {
  const source = readFileSync(new URL(file, root), 'utf8');
  const values = (await import(new URL(file, root).href)) as Readonly<
    Record<string, Readonly<Record<string, unknown>>>
  >;
  const groups = source.matchAll(/(?:\/\*\*([^/]*?)\*\/\n)?export const (\w+) = \{\n([\s\S]*?)\n\} as const;/g);
  return [...groups].map(([, about = '', name, body]) => {
    const rows = rowsOf(body!, values[name!]!).map(
      ({ names, values, reason }) => `| ${names.join('<br>')} | ${values.join('<br>')} | ${reason} |\n`,
    );
    const means = about === '' ? '' : `${plain(about)}\n\n`;
    return `\n## ${name}\n\n${means}[${file}](../${file})\n\n| limit | is | why |\n| --- | --- | --- |\n${rows.join('')}`;
  });
}

interface Row {
  readonly names: string[];
  readonly values: string[];
  readonly reason: string;
}

/** A comment holds for all names that follow it without another: they are in one row. */
function rowsOf(body: string, values: Readonly<Record<string, unknown>>): Row[] {
  const rows: Row[] = [];
  for (const [, comment, name] of body.matchAll(/\/\*\*([\s\S]*?)\*\/|^ {2}(\w+):/gm)) {
    if (comment !== undefined) rows.push({ names: [], values: [], reason: plain(comment) });
    else {
      if (rows.length === 0) rows.push({ names: [], values: [], reason: '' });
      rows.at(-1)!.names.push(`\`${name}\``);
      rows.at(-1)!.values.push(shown(values[name!]));
    }
  }
  return rows.filter(({ names }) => names.length > 0);
}

function shown(value: unknown): string {
  if (typeof value === 'number') return value.toLocaleString('en');
  return String(JSON.stringify(value)).replaceAll('|', '\\|');
}

function plain(comment: string): string {
  return comment
    .replaceAll(/\s*\n\s*\*?\s*/g, ' ')
    .replaceAll('|', '\\|')
    .trim();
}
