/** A body by its schema. Throws INVALID_ARGUMENT, naming the first field at fault and what to do. */
import { z } from 'zod';
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
  throw invalid(`${faultOf(parsed.error, schema)} (${fields})`);
}

/** The first invalid field, its fault, and the remedy. */
export function faultOf(error: z.core.$ZodError, schema: z.ZodType): string {
  const issue = error.issues[0]!;
  const path = [...issue.path];
  const isUnknown = issue.code === 'unrecognized_keys';
  if (isUnknown) path.push(issue.keys[0] ?? '');
  const field = path.map((part, at) =>
    typeof part === 'number' ? `[${part}]` : `${at > 0 ? '.' : ''}${String(part)}`,
  );
  const names = isUnknown ? namesAt(schema, issue.path) : [];
  const valid = names.length === 0 ? '' : `: there are ${names.join(', ')}`;
  const remedy = isUnknown ? `remove it, or correct its name${valid}` : 'correct it';
  return `${field.join('') || 'the body'}: ${issue.message}; ${remedy}`;
}

/** Returns the names that the object at `path` may have. Empty: they are not known. */
function namesAt(schema: z.ZodType, path: readonly PropertyKey[]): readonly string[] {
  let at: unknown = withoutDefault(schema);
  for (const part of path) {
    if (at instanceof z.ZodObject) at = withoutDefault(at.shape[String(part)]);
    else if (at instanceof z.ZodArray) at = withoutDefault(at.element);
    else return [];
  }
  return at instanceof z.ZodObject ? Object.keys(at.shape) : [];
}

function withoutDefault(schema: unknown): unknown {
  const isAround = schema instanceof z.ZodDefault || schema instanceof z.ZodOptional || schema instanceof z.ZodNullable;
  return isAround ? withoutDefault(schema.unwrap()) : schema;
}
