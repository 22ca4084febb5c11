import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type FieldType, fieldValue } from '../../../../topology/parse/rich/field-value.ts';

/** What stands on pages, and what it says; null: nothing of that type. */
const cases: Readonly<Record<FieldType, readonly (readonly [text: string, value: string | null])[]>> = {
  string: [
    ['  one \n\t two ', 'one two'],
    ['', ''],
  ],
  number: [
    ['€ 1,299.00', '1299'],
    ['1.299,00 EUR', '1299'],
    ['1,299', '1299'],
    ['1.299', '1299'],
    ['0.299', '0.299'],
    ['0,5', '0.5'],
    ['12.5', '12.5'],
    ['12,50', '12.5'],
    ['1,234,567', '1234567'],
    ['1.234.567', '1234567'],
    ['1.234.567,8', '1234567.8'],
    ['1,234,567.8', '1234567.8'],
    ["1'299.50", '1299.5'],
    ['1 299,50', '1299.5'],
    ['1\u00a0299', '1299'],
    ['1\u202f299', '1299'],
    ['-3', '-3'],
    ['−3,5 °C', '-3.5'],
    ['3 reviews', '3'],
    ['3 of 5', null],
    ['none', null],
    ['', null],
  ],
  integer: [
    ['1,299', '1299'],
    ['12.5', null],
    ['9007199254740991', '9007199254740991'],
    ['9007199254740993', null],
    ['', null],
  ],
  boolean: [
    ['true', 'true'],
    ['Yes', 'true'],
    ['1', 'true'],
    ['ON', 'true'],
    ['False', 'false'],
    ['no', 'false'],
    ['0', 'false'],
    ['off', 'false'],
    ['yes!', null],
    ['not', null],
    ['', null],
  ],
  date: [
    ['2026-11-26', '2026-11-26T00:00:00.000Z'],
    ['2026-11', '2026-11-01T00:00:00.000Z'],
    ['2026-11-26T10:20', '2026-11-26T10:20:00.000Z'],
    ['2026-11-26 10:20:30.5', '2026-11-26T10:20:30.500Z'],
    ['2026-11-26T10:20:30Z', '2026-11-26T10:20:30.000Z'],
    ['2026-11-26T10:20:30+02:00', '2026-11-26T08:20:30.000Z'],
    ['2026-13-26', null],
    ['01/02/2026', null],
    ['2026', null],
    ['on 2026-11-26', null],
    ['', null],
  ],
  url: [
    ['../x?y=1#z', 'http://a.test/x?y=1'],
    ['https://b.test/', 'https://b.test/'],
    ['mailto:x@y.test', null],
    ['http://', null],
    ['', null],
  ],
};

for (const type of Object.keys(cases) as FieldType[])
  for (const [text, value] of cases[type])
    test(`${JSON.stringify(text)} is read as ${type}`, () => {
      const expected =
        value === null ? { problem: `${JSON.stringify(text.trim())} is not a valid ${type}` } : { value };
      assert.deepEqual(fieldValue(text, type, 'http://a.test/b/c'), expected);
    });

test('an invalid value is reported by its first sixty characters', () => {
  const reported = fieldValue('x'.repeat(100), 'number', 'http://a.test/');
  assert.deepEqual(reported, { problem: `"${'x'.repeat(60)}" is not a valid number` });
});
