/** Fields that a plugin adds to policies: a plugin writes them with JSON Schema, and the program reads them as its own. */
import { z } from 'zod';
import type { FieldsOfExtra } from '../../../topology/policy/extra-fields.ts';
import type { Plugin, PluginPolicyField } from './plugin.ts';

/** Undefined: it has none. */
export function policyFieldsOf({ policyFields }: Plugin): FieldsOfExtra | undefined {
  if (policyFields === undefined) return undefined;
  return Object.fromEntries(
    Object.entries(policyFields).map(([name, { schema, ...field }]) => {
      // Fleets run without plugins, so that the setter is never asked for.
      return [name, { ...field, schema: schemaOf(schema), setter: 'operator' as const }];
    }),
  );
}

/** Throws for what is no JSON Schema, or has parts that are not supported. */
export function schemaOf(schema: PluginPolicyField['schema']): z.ZodType {
  return z.fromJSONSchema(schema as z.core.JSONSchema.JSONSchema);
}
