/** Part of a policy, from a YAML or JSON file: the field with its name, or its value alone. */
import { CrawlstreamError } from '../../../topology/errors.ts';
import { parsedFile } from './rules-file.ts';

export function overlaysFile(file: string): unknown {
  const value = parsedFile('--overlays', file);
  if (Array.isArray(value)) return value;
  const { overlays } = (value ?? {}) as { readonly overlays?: unknown };
  if (overlays !== undefined) return overlays;
  throw new CrawlstreamError(
    'INVALID_ARGUMENT',
    `--overlays ${file}: write a list of overlays, or a field \`overlays\` with the list`,
  );
}

/** `none`, or a file. */
export function payFile(file: string): unknown {
  if (file === 'none') return file;
  const value = parsedFile('--pay', file);
  const { pay = value } = (value ?? {}) as { readonly pay?: unknown };
  return pay;
}
