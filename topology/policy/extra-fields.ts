/**
 * Fields of a policy that extras and plugins declare. A policy has them in `extras`, by the name of the extra or plugin. A
 * program without that extra keeps its fields unchecked, and passes them on.
 */
import { z } from 'zod';
import { type Fields, isFields } from './is-fields.ts';
import type { PolicyField } from './policy-field.ts';

/** Overlays cannot set it. */
export type ExtraField = Omit<PolicyField, 'overlay'>;

/** Fields of one extra or plugin. */
export type FieldsOfExtra = Readonly<Record<string, ExtraField>>;

/** By the name of the extra or plugin. */
export type ExtraFields = Readonly<Record<string, FieldsOfExtra>>;

/** The part of a policy that holds them. */
export interface WithExtras {
  readonly extras?: Readonly<Record<string, Fields>> | undefined;
}

/** Checks the fields of known extras. Those of others have any value. */
export function extrasSchema(fields: ExtraFields): z.ZodType {
  const known = Object.entries(fields).map(([name, own]) => {
    const shape = Object.entries(own).map(([field, { schema }]) => [field, schema.optional()]);
    return [name, z.strictObject(Object.fromEntries(shape)).optional()];
  });
  return z.object(Object.fromEntries(known)).catchall(z.record(z.string(), z.unknown()));
}

/** Names in `extras` that `after` changes, of extras and plugins that are not here to check their fields. */
export function uncheckedExtras(before: WithExtras, after: WithExtras, fields: ExtraFields): string[] {
  const isNew = (name: string) => JSON.stringify(before.extras?.[name]) !== JSON.stringify(after.extras?.[name]);
  return Object.keys(after.extras ?? {}).filter((name) => !Object.hasOwn(fields, name) && isNew(name));
}

/** A policy of a new crawl: fields that it leaves out have their defaults. `policy`: may be unchecked. */
export function withInitialExtras<T extends { readonly extras?: unknown }>(policy: T, fields: ExtraFields): T {
  const { extras: given = {} } = policy;
  const initial = Object.entries(fields).flatMap(([name, own]) => {
    const values = initialOf(own);
    return Object.keys(values).length === 0 ? [] : [[name, values] as const];
  });
  if (initial.length === 0 || !isFields(given)) return policy;
  const extras = initial.map(([name, values]) => {
    const before = given[name] ?? {};
    return [name, isFields(before) ? { ...values, ...before } : before];
  });
  return { ...policy, extras: { ...given, ...Object.fromEntries(extras) } };
}

/**
 * Fields of an extra's fields in a policy, without fields that it does not declare. A field that the policy lacks has its
 * default. So has a field with a value that the schema refuses, because it was set where the extra is not installed;
 * `refused` names such fields.
 */
export function extraValues(
  { extras = {} }: WithExtras,
  name: string,
  own: FieldsOfExtra,
): { readonly values: Fields; readonly refused: readonly string[] } {
  const given = Object.entries(extras[name] ?? {}).filter(([field]) => Object.hasOwn(own, field));
  const isGood = (field: string, value: unknown) => own[field]!.schema.safeParse(value).success;
  return {
    values: { ...initialOf(own), ...Object.fromEntries(given.filter(([field, value]) => isGood(field, value))) },
    refused: given.filter(([field, value]) => !isGood(field, value)).map(([field]) => field),
  };
}

function initialOf(own: FieldsOfExtra): Fields {
  return Object.fromEntries(
    Object.entries(own).flatMap(([field, { initial }]) => (initial === undefined ? [] : [[field, initial]])),
  );
}
