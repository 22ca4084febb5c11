/** `--requests FILE`: request rules as YAML or JSON. */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { CrawlstreamError } from '../../topology/errors.ts';
import { type RequestRuleInput, requestRulesSchema } from '../fetcher/request-rules-schema.ts';

/** Throws INVALID_ARGUMENT that names file and field. */
export function readRequestsFile(file: string): readonly RequestRuleInput[] {
  const result = requestRulesSchema.safeParse(parsed(file));
  if (result.success) return result.data;
  const issue = result.error.issues[0]!;
  const field = issue.path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('');
  throw new CrawlstreamError('INVALID_ARGUMENT', `--requests ${file}: rule ${field || '(all)'}: ${issue.message}`);
}

function parsed(file: string): unknown {
  try {
    return parse(readFileSync(file, 'utf8')) ?? [];
  } catch (error) {
    const line = (error as Error).message.split('\n', 1)[0];
    throw new CrawlstreamError('INVALID_ARGUMENT', `--requests ${file}: ${line}`, error);
  }
}
