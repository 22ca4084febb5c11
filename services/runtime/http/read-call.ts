/** A body by its schema. Throws INVALID_ARGUMENT, naming the first field at fault and what to do. */
import type { z } from 'zod';
import { invalid } from '../../../topology/errors.ts';

export function readCall<T extends z.ZodType>(
  schema: T,
  body: unknown,
  fields = 'see GET /v1/openapi.json for all fields',
): z.output<T> {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw invalid('the body is not a JSON object: send one, with content-type application/json');
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  throw invalid(`${faultOf(parsed.error)} (${fields})`);
}

/** The first invalid field, its fault, and the remedy. */
export function faultOf(error: z.core.$ZodError): string {
  const issue = error.issues[0]!;
  const path = [...issue.path];
  if (issue.code === 'unrecognized_keys') path.push(issue.keys[0] ?? '');
  const field = path.map((part, at) =>
    typeof part === 'number' ? `[${part}]` : `${at > 0 ? '.' : ''}${String(part)}`,
  );
  const remedy = issue.code === 'unrecognized_keys' ? 'remove it, or correct its name' : 'correct it';
  return `${field.join('') || 'the body'}: ${issue.message}; ${remedy}`;
}
