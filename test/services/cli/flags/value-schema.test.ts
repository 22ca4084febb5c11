import assert from 'node:assert/strict';
import { it } from 'node:test';
import { z } from 'zod';
import { loadCommands } from '../../../../services/cli/command-modules.ts';
import { settingsOf } from '../../../../services/cli/config/settings.ts';
import { programOf } from '../../../../services/cli/program.ts';
import { type JsonSchema, valueSchemaOf } from '../../../../services/runtime/value-schema.ts';

const stated = settingsOf(programOf(await loadCommands())).flatMap(({ env, option }) => {
  const schema = valueSchemaOf(option.parseArg);
  return schema === undefined ? [] : [{ env, schema, parse: option.parseArg! }];
});
const numbers = ['0', '1', '2', '8', '64', '600', '1000', '60000', '5000000000', '0.5', '0.01', '1e-3'];
const texts = ['0ms', '500ms', '2s', '30s', '1.5h', '7d', '500k', '2M', '1.5GB', '10GiB', 'none', 'search,ai-input'];
/** No option that states a schema takes any of these. */
const wrong = ['soon', '-1', '-5s', '5x', '1,5', '', '1e400'];

const accepts = (schema: JsonSchema, value: unknown) =>
  z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]).safeParse(value).success;

it('the schema of a setting accepts each value that its parser takes, as a text and as a number', () => {
  assert.ok(stated.length > 40, `${stated.length}`);
  for (const { env, schema, parse } of stated) {
    const choices = (schema as { readonly enum?: readonly string[] }).enum ?? [];
    const taken = [...numbers, ...texts, ...choices].filter((text) => {
      try {
        parse(text, undefined);
        return true;
      } catch {
        return false;
      }
    });
    assert.ok(taken.length > 0, env);
    for (const text of taken) {
      assert.ok(accepts(schema, text), `${env}: ${text}`);
      if (numbers.includes(text)) assert.ok(accepts(schema, Number(text)), `${env}: the number ${text}`);
    }
  }
});

it('the schema of a setting refuses misspelt and negative values', () => {
  for (const { env, schema, parse } of stated) {
    for (const text of wrong) {
      assert.throws(() => parse(text, undefined), `${env}: ${text}`);
      assert.ok(!accepts(schema, text), `${env}: ${JSON.stringify(text)}`);
    }
    for (const number of [-1, -0.5, 1e300]) assert.ok(!accepts(schema, number), `${env}: the number ${number}`);
  }
});
