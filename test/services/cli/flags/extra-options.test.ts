/** Options of a command for fields of policies that extras and plugins declare. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Command } from 'commander';
import { schemaOf } from '../../../../services/application/plugin/policy-fields-of.ts';
import { addExtraOptions } from '../../../../services/cli/flags/field-options.ts';
import type { ExtraFields } from '../../../../topology/policy/extra-fields.ts';

function declared(schema: Readonly<Record<string, unknown>>, name: string, value?: string): ExtraFields {
  const flag = { name, ...(value !== undefined && { value }), about: 'a field', reason: 'none' };
  return { mine: { field: { schema: schemaOf(schema), about: 'A field.', setter: 'operator', flag } } };
}

/** Returns the value that a command line gives the field. */
function parsed(fields: ExtraFields, ...words: string[]): unknown {
  const command = addExtraOptions(new Command('crawl').exitOverride(), fields);
  return command.parse(words, { from: 'user' }).opts()['mineField'];
}

it('the schema of a field decides how its option is typed, and which values it refuses', () => {
  const rows: [schema: object, value: string, text: string, read: unknown, wrong: string][] = [
    [{ type: 'integer', minimum: 1, maximum: 9 }, '<n>', '9', 9, '10'],
    [{ type: 'integer', minimum: 0 }, '<duration>', '2s', 2_000, '2'],
    [{ type: 'integer', minimum: 0 }, '<bytes>', '2k', 2_000, 'two'],
    [{ type: 'number', minimum: 0, maximum: 1 }, '<share>', '0.25', 0.25, '1.5'],
    [{ type: 'number' }, '<x>', '-1', -1, ' '],
    [{ type: 'string', minLength: 2 }, '<word>', 'ab', 'ab', 'a'],
    [{ enum: ['few', 'many'] }, '<choice>', 'many', 'many', 'all'],
    [{ type: 'array', items: { enum: ['a', 'b'] } }, '<list>', 'a,b', ['a', 'b'], 'a,c'],
  ];
  for (const [schema, value, text, read, wrong] of rows) {
    const fields = declared(schema as Record<string, unknown>, 'mineField', value);
    assert.deepEqual(parsed(fields, `--mine-field=${text}`), read, JSON.stringify(schema));
    assert.throws(() => parsed(fields, `--mine-field=${wrong}`), { code: 'INVALID_ARGUMENT', message: /--mine-field/ });
  }
  assert.equal(parsed(declared({ type: 'boolean' }, 'mineField'), '--mine-field'), true);
});

it('an option that the command has already, and a schema without a form on a command line, are refused', () => {
  const crawl = new Command('crawl').option('--no-traps').option('--max-pages <n>');
  for (const name of ['maxPages', 'traps'])
    assert.throws(() => addExtraOptions(crawl, declared({ type: 'integer' }, name, '<n>')), {
      code: 'INVALID_ARGUMENT',
      message: /^field field of mine: --\S+ is already an option of crawl; rename it in flag$/,
    });
  assert.throws(() => addExtraOptions(new Command('crawl'), declared({ type: 'object' }, 'mineField', '<x>')), {
    code: 'INVALID_ARGUMENT',
    message: /^--mine-field: an option sets a number, a text or one of several words/,
  });
});
