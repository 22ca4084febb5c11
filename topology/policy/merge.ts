/**
 * Three-way merge of policies. A user's options change only fields that differ from the user's last options. So a
 * left-out option changes nothing, and later changes by an operator stay.
 */
import { type Fields, isFields } from './is-fields.ts';
import type { PolicyConfig } from './policy.ts';

type Json = unknown;

/** `inForce`, with the fields in which `now` differs from `before`. Keeps the version of `inForce`. */
export function mergeAsked(before: PolicyConfig, now: PolicyConfig, inForce: PolicyConfig): PolicyConfig {
  const merged = merge(before as unknown as Fields, now as unknown as Fields, inForce as unknown as Fields);
  const { extras: _, ...policy } = { ...(merged as unknown as PolicyConfig), version: inForce.version };
  return {
    ...policy,
    scope: mergedScope(before, now, inForce),
    ...mergedSitemaps(before, now, inForce),
    ...mergedExtras(before, now, inForce),
  };
}

/** An option of an extra changes one field, even if it is the first: others stay. */
function mergedExtras(
  { extras: before = {} }: PolicyConfig,
  { extras: now = {} }: PolicyConfig,
  { extras: stands = {} }: PolicyConfig,
): Pick<PolicyConfig, 'extras'> {
  const extras: Record<string, Fields> = { ...stands };
  for (const name of new Set([...Object.keys(before), ...Object.keys(now)])) {
    const values = merge(before[name] ?? {}, now[name] ?? {}, stands[name] ?? {});
    if (Object.keys(values).length > 0 || name in stands) extras[name] = values;
  }
  return Object.keys(extras).length === 0 ? {} : { extras };
}

/** Names are added: a new seed does not replace earlier ones. */
function mergedScope(before: PolicyConfig, now: PolicyConfig, inForce: PolicyConfig): PolicyConfig['scope'] {
  const { kind, names } = now.scope;
  if (isSame(before.scope, now.scope)) return inForce.scope;
  if (before.scope.kind !== kind || inForce.scope.kind !== kind) return now.scope;
  return { kind, names: joined(inForce.scope.names, added(before.scope.names, names)).sort() };
}

function mergedSitemaps(
  { sitemaps: before }: PolicyConfig,
  { sitemaps: now }: PolicyConfig,
  { sitemaps: stands }: PolicyConfig,
): Pick<PolicyConfig, 'sitemaps'> {
  if (stands === undefined || now === undefined || isSame(before, now)) return {};
  const everyMs = before?.everyMs === now.everyMs ? stands.everyMs : now.everyMs;
  return { sitemaps: { everyMs, rules: joined(stands.rules, added(before?.rules ?? [], now.rules)) } };
}

/** A line for each field that differs, as in `pageQuota 40 → 80`; versions are ignored. */
export function policyChanges(before: PolicyConfig, after: PolicyConfig): string[] {
  const lines: string[] = [];
  walk({ ...before, version: 0 }, { ...after, version: 0 }, '', lines);
  return lines;
}

function merge(before: Fields, now: Fields, inForce: Fields): Fields {
  const merged: Record<string, Json> = { ...inForce };
  for (const key of new Set([...Object.keys(before), ...Object.keys(now)])) {
    const [was, is, stands] = [before[key], now[key], inForce[key]];
    if (isSame(was, is)) continue;
    if (isList(was ?? is) && isList(is ?? was) && isList(stands)) {
      const list = mergedList((was as Json[] | undefined) ?? [], (is as Json[] | undefined) ?? [], stands);
      if (list.length === 0 && is === undefined) delete merged[key];
      else merged[key] = list;
    } else if (is === undefined) delete merged[key];
    else merged[key] = isFields(was) && isFields(is) && isFields(stands) ? merge(was, is, stands) : is;
  }
  return merged;
}

function walk(before: Json, after: Json, path: string, lines: string[]): void {
  if (isSame(before, after)) return;
  if (!isFields(before) || !isFields(after)) {
    lines.push(`${path} ${shown(before)} → ${shown(after)}`);
    return;
  }
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)]))
    walk(before[key], after[key], path === '' ? key : `${path}.${key}`, lines);
}

const shownCharsMax = 100;

function shown(value: Json): string {
  if (value === undefined || value === null) return 'none';
  const text = JSON.stringify(value);
  return text.length > shownCharsMax ? `${text.slice(0, shownCharsMax)}…` : text;
}

/** Newly requested entries are added, and dropped ones removed; an operator's entries stay. */
function mergedList(was: readonly Json[], is: readonly Json[], stands: readonly Json[]): Json[] {
  const [dropped, more] = [added(is, was), added(was, is)];
  const isNamedAs = (one: Json, other: Json) =>
    isFields(one) && isFields(other) && one['name'] !== undefined && one['name'] === other['name'];
  // Two overlays with one name are invalid: the newest counts.
  const isReplaced = (one: Json) =>
    dropped.some((other) => isSame(one, other)) || more.some((other) => isNamedAs(one, other));
  return joined(
    stands.filter((one) => !isReplaced(one)),
    more,
  );
}

/**
 * Lists of names or rules are merged entry by entry. A list of numbers, such as the waits between retries, is one
 * value.
 */
function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string' || isFields(one));
}

function added<T>(before: readonly T[], now: readonly T[]): T[] {
  return now.filter((one) => !before.some((other) => isSame(one, other)));
}

function joined<T>(list: readonly T[], more: readonly T[]): T[] {
  return [...list, ...added(list, more)];
}

/** Compares plain JSON: an absent field equals one that is undefined. */
function isSame(a: Json, b: Json): boolean {
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((one, at) => isSame(one, b[at]));
  if (!isFields(a) || !isFields(b)) return a === b;
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].every((key) => isSame(a[key], b[key]));
}
