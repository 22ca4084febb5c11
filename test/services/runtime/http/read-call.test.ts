/** Bodies of calls against their schemas: the first field at fault is named, with the remedy. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { readCall } from '../../../../services/runtime/http/read-call.ts';

const schema = z
  .strictObject({
    name: z.string(),
    limits: z
      .strictObject({ pages: z.int().min(1), bytes: z.int() })
      .partial()
      .optional(),
    seeds: z.array(z.strictObject({ url: z.string() }).nullable()).default([]),
    labels: z.record(z.string(), z.string()).optional(),
  })
  .default({ name: '', seeds: [] });

const messageOf = (body: unknown, fields?: string) => {
  try {
    readCall(schema, body, fields);
    return null;
  } catch (error) {
    assert.equal((error as { code?: string }).code, 'INVALID_ARGUMENT');
    return (error as Error).message;
  }
};
const see = '(see GET /v1/openapi.json for all fields)';

test('a body that fits is returned with its defaults', () => {
  assert.deepEqual(readCall(schema, { name: 'a' }), { name: 'a', seeds: [] });
});

test('a body that is no JSON object is refused', () => {
  for (const body of [undefined, null, 'text', 7, [], [{ name: 'a' }]])
    assert.equal(messageOf(body), 'the body is not a JSON object: send one, with content-type application/json');
});

test('an invalid field is named by its path', () => {
  assert.match(messageOf({ name: 7 })!, /^name: .*; correct it \(see GET \/v1\/openapi\.json for all fields\)$/);
  assert.match(messageOf({ name: 'a', limits: { pages: 0 } })!, /^limits\.pages: .*; correct it/);
  assert.match(
    messageOf({ name: 'a', seeds: [{ url: 'u' }, { url: 7 }] }, 'see help')!,
    /^seeds\[1\]\.url: .*\(see help\)$/,
  );
});

test('an unknown field is refused with the names that are valid at its place', () => {
  const remedy = 'remove it, or correct its name';
  assert.ok(messageOf({ name: 'a', nam: 1 })!.startsWith('nam: '));
  assert.ok(messageOf({ name: 'a', nam: 1 })!.endsWith(`; ${remedy}: there are name, limits, seeds, labels ${see}`));
  assert.ok(messageOf({ name: 'a', limits: { page: 1 } })!.startsWith('limits.page: '));
  assert.ok(messageOf({ name: 'a', limits: { page: 1 } })!.endsWith(`; ${remedy}: there are pages, bytes ${see}`));
  assert.ok(messageOf({ name: 'a', seeds: [{ link: 1, url: '' }] })!.startsWith('seeds[0].link: '));
  assert.ok(messageOf({ name: 'a', seeds: [{ link: 1, url: '' }] })!.endsWith(`${remedy}: there are url ${see}`));
});

test('a field without known names at its place is refused without a list', () => {
  const either = z.strictObject({ one: z.union([z.strictObject({ a: z.string() }), z.string()]) });
  assert.throws(() => readCall(either, { one: { b: 1 } }), { message: /^one: .*; correct it/ });
});
