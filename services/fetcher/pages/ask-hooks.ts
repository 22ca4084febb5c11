/** Asks the plugins about a URL of a lease, before it is requested. */
import type { OutcomeKind, Task } from '../../../schemas/types.ts';
import { HookFailed, type Hooks } from '../hooks/run-hooks.ts';
import type { Headers } from '../http/headers.ts';

/** Headers for the request, or the outcome of the URL without a request. */
export async function askHooks(
  hooks: Hooks,
  headers: Headers,
  task: Task,
  index: number,
): Promise<{ readonly headers: Headers } | { readonly kind: OutcomeKind; readonly detail: string }> {
  const { url, depth } = task.urls[index]!;
  try {
    const by = hooks.refuses({ url, depth, sourceUrl: '' });
    if (by !== null) return { kind: 'refused', detail: `plugin ${by} does not want it` };
    const { headers: more, skip } = await hooks.request({ url, depth, hostKey: task.hostKey });
    if (skip !== '') return { kind: 'refused', detail: skip };
    return { headers: withHeaders(headers, more) };
  } catch (error) {
    return { kind: 'parseFailed', detail: faultOf(error) };
  }
}

/** `more` replaces headers of the same name. */
export function withHeaders(headers: Headers, more: Readonly<Record<string, string>>): Headers {
  const kept: string[] = [];
  for (let i = 0; i < headers.length; i += 2) {
    if (!Object.hasOwn(more, headers[i]!)) kept.push(headers[i]!, headers[i + 1]!);
  }
  for (const [name, value] of Object.entries(more)) kept.push(name, value);
  return kept;
}

/** Any other error is a bug of ours, and ends the fetcher. */
function faultOf(error: unknown): string {
  if (error instanceof HookFailed) return error.message;
  throw error;
}
