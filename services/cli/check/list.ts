/** `crawlstream check list`: does a list load, and what must a policy write to refer to it? */
import type { Command } from 'commander';
import { Option } from 'commander';
import { withScheme } from '../../../topology/url/seed.ts';
import { compileList, type ListKind, listKinds } from '../../../topology/url/url-lists.ts';
import { normalUrl } from '../../hosting/options/url-argument.ts';
import { readList } from '../../runtime/policy/list-files.ts';
import { rows } from '../../runtime/rows-text.ts';
import { oneOf } from '../flags/arguments.ts';
import { print } from '../terminal/print.ts';

interface ListFlags {
  readonly kind: ListKind;
  readonly url?: string;
  readonly json?: boolean;
}

export function addCheckList(check: Command): void {
  check
    .command('list')
    .description('print the entries, hash and size of a filter list, and its verdict on a URL')
    .argument('<file>', 'text, one entry a line')
    .addOption(
      new Option('--kind <kind>', `type of the entries: ${listKinds.join(', ')}`)
        .argParser(oneOf('--kind', listKinds))
        .makeOptionMandatory(),
    )
    .option('--url <url>', 'URL to look up in the list')
    .option('--json', 'print one line of JSON')
    .action(checkList);
}

async function checkList(file: string, { kind, url, json }: ListFlags): Promise<void> {
  const startMs = performance.now();
  const { bytes, sha256 } = await readList(file, `file ${JSON.stringify(file)}`);
  const list = compileList(kind, bytes.toString('utf8'), file);
  const loadMs = Math.round(performance.now() - startMs);
  const match = url === undefined ? undefined : list.match(normalUrl(withScheme(url)));
  const answer = { kind, sha256, entries: list.size, bytes: list.bytes, loadMs, ...(url !== undefined && { match }) };
  const text = rows([
    ['kind', kind],
    ['sha256', sha256],
    ['entries', list.size],
    ['memory', `${list.bytes} bytes`],
    ['loaded in', `${loadMs} ms`],
    ['match', match === null ? 'none' : match],
  ]);
  print({ json: answer, text }, json);
}
