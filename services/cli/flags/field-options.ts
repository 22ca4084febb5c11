/** Options that set one field of a policy each, made of the fields' declarations. */
import type { Command, Option } from 'commander';
import { z } from 'zod';
import { invalid } from '../../../topology/errors.ts';
import type { ExtraFields } from '../../../topology/policy/extra-fields.ts';
import type { FieldFlag, PolicyField } from '../../../topology/policy/policy-field.ts';
import { declaredFields, type PolicyFieldName, policyFields } from '../../../topology/policy/policy-fields.ts';
import { bad } from '../../runtime/option-text.ts';
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

/**
 * Adds the options of fields that extras and plugins declare. Throws INVALID_ARGUMENT for an option that the command
 * has already, and for a schema without a form on the command line.
 */
export function addExtraOptions(command: Command, fields: ExtraFields): Command {
  for (const [name, own] of Object.entries(fields)) {
    for (const [field, { schema, flag }] of Object.entries(own)) {
      if (flag === undefined) continue;
      const option = optionOf(schema, flag);
      if (command.options.some((one) => one.attributeName() === option.attributeName()))
        throw invalid(
          `field ${field} of ${name}: ${option.long} is already an option of ${command.name()}; rename it in flag`,
        );
      command.addOption(option);
    }
  }
  return command;
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
  if (shape instanceof z.ZodString) return (text) => checked(option, text, shape, text);
  if (!(shape instanceof z.ZodNumber))
    throw invalid(
      `${option}: an option sets a number, a text or one of several words, and its schema has none of them`,
    );
  if (!shape.isInt) return (text) => checked(option, text, shape, text.trim() === '' ? Number.NaN : Number(text));
  const least = flag.least ?? Math.max(0, shape.minValue ?? 0);
  const most = flag.most ?? Math.min(Number.MAX_SAFE_INTEGER, shape.maxValue ?? Number.MAX_SAFE_INTEGER);
  if (flag.value === '<duration>') return duration(option, { leastMs: least, mostMs: most });
  if (flag.value === '<bytes>') return bytes(option, least, `give bytes, at least ${least}, as in 500k, 2M or 10GiB`);
  return wholeNumber(option, least, most);
}

function checked(option: string, text: string, schema: z.ZodType, value: unknown): unknown {
  const { error } = schema.safeParse(value);
  if (error === undefined) return value;
  throw bad(option, text, `give a value that the policy accepts: ${error.issues[0]!.message}`);
}

/** Without null and absence. */
function innermost(schema: z.ZodType): z.ZodType {
  let inner = schema;
  while (inner instanceof z.ZodOptional || inner instanceof z.ZodNullable) inner = inner.unwrap() as z.ZodType;
  return inner;
}
