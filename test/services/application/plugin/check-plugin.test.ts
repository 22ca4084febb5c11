/** Endpoints and commands of a plugin file, as they are checked when it is loaded. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { checkPlugin } from '../../../../services/application/plugin/check-plugin.ts';

const route = { method: 'GET', path: '/titles', handle: () => ({ body: '' }) };
const command = { names: ['titles'], group: 'Mine:', load: async () => () => {} };
const check = (more: object) => () => checkPlugin({ name: 'titles', ...more }, 'titles.mjs');

it('a plugin may have endpoints and commands alone', () => {
  const open = { ...route, method: 'POST', access: 'open', takes: 'bytes' };
  assert.deepEqual(check({ routes: [route, open], commands: [command] })().routes, [route, open]);
});

it('an endpoint without method, path or function, or with unknown rights, is refused with an example', () => {
  const refused = {
    code: 'INVALID_ARGUMENT',
    message: /titles\.mjs: routes: give a list of endpoints, as in \[\{ method/,
  };
  for (const wrong of [{ method: 'get' }, { path: 'titles' }, { handle: {} }, { access: 'all' }, { takes: 'json' }])
    assert.throws(check({ routes: [{ ...route, ...wrong }] }), refused, JSON.stringify(wrong));
  for (const routes of [route, [null]]) assert.throws(check({ routes }), refused);
});

it('an endpoint that changes something is for callers with control, or checks them itself', () => {
  for (const method of ['POST', 'PUT', 'DELETE']) {
    for (const access of [undefined, 'control', 'open']) check({ routes: [{ ...route, method, access }] })();
    for (const access of ['public', 'metrics', 'read'])
      assert.throws(check({ routes: [route, { ...route, method, access }] }), {
        code: 'INVALID_ARGUMENT',
        message: `titles.mjs: routes[1].access: ${access} is for GET, and this is ${method}: leave it out, or give control or open`,
      });
  }
  for (const access of ['public', 'metrics', 'read', 'control']) check({ routes: [{ ...route, access }] })();
});

it('a command without names, group or load is refused with an example', () => {
  const refused = {
    code: 'INVALID_ARGUMENT',
    message: /titles\.mjs: commands: give a list of commands, as in \[\{ names/,
  };
  for (const wrong of [{ names: [] }, { names: ['two words'] }, { names: 'titles' }, { group: 1 }, { load: null }])
    assert.throws(check({ commands: [{ ...command, ...wrong }] }), refused, JSON.stringify(wrong));
  assert.throws(check({ commands: [undefined] }), refused);
});

const field = { schema: { type: 'integer', minimum: 0 }, about: 'Characters of a title.' };
const flag = { name: 'shortestTitle', value: '<n>', about: 'shortest title', reason: 'any is good' };

it('a field of policies has a schema that its default fits, a sentence, and perhaps an option', () => {
  const policyFields = { shortest: { ...field, initial: 3, flag }, longest: field };
  assert.deepEqual(check({ policyFields })().policyFields, policyFields);
  const rows: [unknown, RegExp][] = [
    [[], /titles\.mjs: policyFields: give fields of policies by name, as in \{ shortest: /],
    [{ 'two words': field }, /titles\.mjs: policyFields\.two words: give a name/],
    [{ toString: field }, /titles\.mjs: policyFields\.toString: give a name .* but not constructor/],
    [{ shortest: 1 }, /titles\.mjs: policyFields\.shortest: give one object/],
    [{ shortest: { about: 'x' } }, /titles\.mjs: policyFields\.shortest: schema is missing: give JSON Schema/],
    [{ shortest: { ...field, setter: 'owner' } }, /titles\.mjs: policyFields\.shortest: there is no option setter/],
    [{ shortest: { ...field, schema: { type: 'whole' } } }, /policyFields\.shortest\.schema: .*: give JSON Schema/],
    [
      { shortest: { ...field, initial: -1 } },
      /policyFields\.shortest\.initial: .*: give a value that its schema accepts/,
    ],
    ...['--shortest', 'noShort', 'help', 'config'].map((name): [unknown, RegExp] => [
      { shortest: { ...field, flag: { ...flag, name } } },
      /policyFields\.shortest\.flag: name: give/,
    ]),
    [
      { shortest: { ...field, flag: { name: 'shortest', about: 'x' } } },
      /policyFields\.shortest\.flag: reason is missing/,
    ],
  ];
  for (const [wrong, message] of rows)
    assert.throws(check({ policyFields: wrong }), { code: 'INVALID_ARGUMENT', message }, `${message}`);
});
