/** Parts of OpenAPI 3.1 documents, made from the schemas that check calls. */
import { z } from 'zod';

export const nameOf = (name: string): string => `${name[0]!.toUpperCase()}${name.slice(1)}`;

export const bodyOf = (name: string): object => ({
  'application/json': { schema: { $ref: `#/components/schemas/${nameOf(name)}` } },
});

/** Schemas of calls as clients may send them, with optional defaults, and of answers as clients receive them. */
export function schemasOf(
  calls: Readonly<Record<string, z.ZodType>>,
  answers: Readonly<Record<string, z.ZodType>>,
): Record<string, object> {
  const schemas: Record<string, object> = {};
  for (const [io, some] of [['input', calls] as const, ['output', answers] as const])
    for (const [name, schema] of Object.entries(some)) {
      const { $schema: _, ...plain } = z.toJSONSchema(schema, { io, target: 'draft-2020-12', unrepresentable: 'any' });
      schemas[nameOf(name)] = plain;
    }
  return schemas;
}

export const license = { name: 'Apache-2.0', identifier: 'Apache-2.0' };

/** Calls need a token if one is set. */
export const security = [{}, { token: [] }];
export const securitySchemes = {
  token: { type: 'http', scheme: 'bearer', description: 'CRAWLSTREAM_HTTP_TOKEN' },
};
