/** Files of rules that options name (`--requests`, `--extract`): YAML or JSON, checked against their schema. */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { z } from 'zod';
import { CrawlstreamError } from '../../../topology/errors.ts';

/** The parser of an option. It throws INVALID_ARGUMENT that names option, file and field. */
export function rulesFile<T extends z.ZodType>(
  option: string,
  schema: T,
  empty: unknown,
): (file: string) => z.infer<T> {
  return (file) => {
    const result = schema.safeParse(parsedFile(option, file) ?? empty);
    if (result.success) return result.data;
    const issue = result.error.issues[0]!;
    const field = issue.path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('');
    const where = field === '' ? '' : ` ${field.replace(/^\./, '')}:`;
    throw new CrawlstreamError('INVALID_ARGUMENT', `${option} ${file}:${where} ${issue.message}`);
  };
}

/** Content of a YAML or JSON file. Throws INVALID_ARGUMENT. */
export function parsedFile(option: string, file: string): unknown {
  try {
    return parse(readFileSync(file, 'utf8'));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const line = code === 'ENOENT' ? 'there is no such file' : message.split('\n', 1)[0]!.replace(/:$/, '');
    throw new CrawlstreamError('INVALID_ARGUMENT', `${option} ${file}: ${line}`, error);
  }
}
