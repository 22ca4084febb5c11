/** The format of an export: the one that was asked for, or the one that the name of the file says. */
import { extname } from 'node:path';
import { bad } from '../../runtime/option-text.ts';

export const formats = ['jsonl', 'csv', 'parquet'] as const;
export type Format = (typeof formats)[number];

const formatOfEnding: Readonly<Record<string, Format>> = {
  '.jsonl': 'jsonl',
  '.json': 'jsonl',
  '.ndjson': 'jsonl',
  '.csv': 'csv',
  '.parquet': 'parquet',
};

/**
 * `out`: the file to write; undefined: stdout. A name without an ending says nothing. Throws INVALID_ARGUMENT if the name
 * says another format than `wanted`, or has an unknown ending while no format is wanted.
 */
export function formatOf(wanted: Format | undefined, out = ''): Format {
  const ending = extname(out);
  const named = formatOfEnding[ending.toLowerCase()];
  if (wanted === undefined && named === undefined && ending !== '') {
    const known = Object.keys(formatOfEnding).join(', ');
    throw bad('--out', out, `nothing is written as ${ending}: end the name in ${known}, or add --format jsonl`);
  }
  if (wanted !== undefined && named !== undefined && wanted !== named)
    throw bad('--format', wanted, `--out ${out} is named as ${named}: leave --format out, or name the file .${wanted}`);
  return wanted ?? named ?? 'jsonl';
}
