/** The lease API's document is valid OpenAPI, by a validator that is not ours, and says what the API takes. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { openApi } from '../../services/extras/lending/openapi.ts';
import { temporaryFolder } from '../services/runtime/store/temporary-folder.ts';
import { scrapyPython } from './scrapy-run.ts';

/** Messages as clients write them: what the schemas of the document say of each. */
const cases = [
  ['LeaseCall', {}, true],
  ['LeaseCall', { count: 4, waitMs: 0, leaseMs: 60_000 }, true],
  ['LeaseCall', { count: 0 }, false],
  ['LeaseCall', { counts: 1 }, false],
  ['AddCall', { urls: [{ url: 'http://a.test/', payload: '{}', priority: 0, force: true }] }, true],
  ['AddCall', { urls: [] }, false],
  ['AddCall', { urls: [{ url: 'http://a.test/', priority: 8 }] }, false],
  ['ResultsCall', { results: [{ lease: 'x', status: 200, headers: { etag: '"1"' }, urls: [{ url: 'u' }] }] }, true],
  ['ResultsCall', { results: [{ lease: 'x', failure: 'timeout', endedMsAgo: 3 }] }, true],
  ['ResultsCall', { results: [{ lease: 'x', failure: 'tired' }] }, false],
  ['ResultsCall', { results: [{ status: 200 }] }, false],
  ['RenewCall', { leases: ['x'] }, true],
  ['LeaseAnswer', { leases: [], idle: null }, true],
  ['LeaseAnswer', { leases: [{ lease: 'x' }], idle: null }, false],
  ['Problem', { error: 'INVALID_ARGUMENT', message: 'count: …' }, true],
] as const;

const script = `
import json, sys
from openapi_spec_validator import validate
from jsonschema import Draft202012Validator
document = json.load(open(sys.argv[1]))
validate(document)
print(json.dumps([
    Draft202012Validator({"$ref": "#/components/schemas/" + name, "components": document["components"]}).is_valid(value)
    for name, value in json.load(open(sys.argv[2]))
]))
`;

test('openapi-spec-validator accepts the document, and its schemas distinguish valid from invalid messages', () => {
  const folder = temporaryFolder();
  const [document, values] = [join(folder, 'openapi.json'), join(folder, 'values.json')];
  writeFileSync(document, JSON.stringify(openApi()));
  writeFileSync(values, JSON.stringify(cases.map(([name, value]) => [name, value])));
  const printed = execFileSync(scrapyPython(), ['-c', script, document, values], { encoding: 'utf8' });
  assert.deepEqual(
    JSON.parse(printed),
    cases.map(([, , right]) => right),
  );
});
