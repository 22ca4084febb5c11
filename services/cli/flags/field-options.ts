/** Options that set one field of a policy each, made of the fields' declarations. */
import type { Option } from 'commander';
import { z } from 'zod';
import type { FieldFlag, PolicyField } from '../../../topology/policy/policy-field.ts';
import { declaredFields, type PolicyFieldName, policyFields } from '../../../topology/policy/policy-fields.ts';
import { bytes, duration, oneOf, orNone, someOf, wholeNumber } from './arguments.ts';
import { setting } from './setting.ts';

type Flagged = {
  [K in PolicyFieldName]: (typeof policyFields)[K] extends { readonly flag: FieldFlag } ? K : never;
}[PolicyFieldName];

export function fieldOption(name: Flagged): Option {
  const { schema, flag } = policyFields[name];
  return optionOf(schema, flag);
}

/** The options of all fields that have one. */
export function fieldOptions(): Option[] {
  return declaredFields.flatMap(([, { schema, flag }]) => (flag === undefined ? [] : [optionOf(schema, flag)]));
}

function optionOf(schema: PolicyField['schema'], flag: FieldFlag): Option {
  const option = `--${flag.name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  const { value, about, reason, none } = flag;
  if (value === undefined) return setting(option, about, reason);
  const parse = parserOf(option, schema, flag);
  return setting(`${option} ${value}`, about, reason, none === undefined ? parse : orNone(parse));
}

function parserOf(option: string, schema: PolicyField['schema'], flag: FieldFlag): (text: string) => unknown {
  const shape = innermost(schema);
  if (shape instanceof z.ZodEnum) return oneOf(option, shape.options as string[]);
  if (shape instanceof z.ZodArray && shape.element instanceof z.ZodEnum)
    return someOf(option, shape.element.options as string[]);
  if (!(shape instanceof z.ZodNumber)) throw new Error(`${option}: no parser for a value of this schema`);
  const least = flag.least ?? Math.max(0, shape.minValue ?? 0);
  const most = flag.most ?? Math.min(Number.MAX_SAFE_INTEGER, shape.maxValue ?? Number.MAX_SAFE_INTEGER);
  if (flag.value === '<duration>') return duration(option, { leastMs: least, mostMs: most });
  if (flag.value === '<bytes>') return bytes(option, least, `give bytes, at least ${least}, as in 500k, 2M or 10GiB`);
  return wholeNumber(option, least, most);
}

/** Without null and absence. */
function innermost(schema: z.ZodType): z.ZodType {
  let inner = schema;
  while (inner instanceof z.ZodOptional || inner instanceof z.ZodNullable) inner = inner.unwrap() as z.ZodType;
  return inner;
}
