import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { avroSchemas } from '../../../../schemas/avro.ts';
import { fingerprintOf } from '../../../../services/runtime/avro/avro-types.ts';
import { incompatibilities } from '../../../../services/runtime/avro/compatibility.ts';
import { fingerprint64 } from '../../../../services/runtime/avro/single-object.ts';
import { keptVersions, withoutDocs } from './versions.ts';

interface Field {
  name: string;
  type: unknown;
  doc?: string;
  default?: unknown;
}
type RecordSchema = { type: 'record'; name: string; namespace: string; fields: Field[] };

describe('schemas', () => {
  for (const [topic, schema] of Object.entries(avroSchemas)) {
    it(`${topic}: the schema reads and is read by every earlier version (FULL_TRANSITIVE)`, () => {
      const kept = keptVersions(topic);
      assert.ok(kept.length > 0, 'run test/services/runtime/avro/keep-version.ts');
      kept.forEach((earlier, i) => {
        assert.deepEqual(incompatibilities(earlier, schema), [], `version ${i + 1}`);
      });
    });

    it(`${topic}: the newest kept version of the schema is today’s`, () => {
      assert.deepEqual(
        withoutDocs(keptVersions(topic).at(-1)!),
        withoutDocs(schema),
        'run test/services/runtime/avro/keep-version.ts',
      );
    });

    it(`${topic}: other docs do not change the fingerprints of the schema`, () => {
      for (const fingerprint of [fingerprint64, fingerprintOf])
        assert.equal(fingerprint(schema), fingerprint(withoutDocs(schema)));
    });

    it(`${topic}: a new field with a default is compatible; one without, and a changed type, are not`, () => {
      const changed = (change: (copy: RecordSchema) => void) => {
        const copy = structuredClone(schema) as unknown as RecordSchema;
        change(copy);
        return incompatibilities(schema, copy).length === 0;
      };
      const optional = schema.fields.findIndex((field) => 'default' in field);
      const required = schema.fields.findIndex((field) => !('default' in field));
      assert.equal(
        changed((c) => c.fields.push({ name: 'added', type: 'string', default: '' })),
        true,
      );
      assert.equal(
        changed((c) => c.fields.unshift({ name: 'added', type: 'long', default: 0 })),
        true,
      );
      assert.equal(
        changed((c) => c.fields.push({ name: 'added', type: 'string' })),
        false,
      );
      assert.equal(
        changed((c) => c.fields.splice(required, 1)),
        false,
      );
      assert.equal(
        changed((c) => ((c.fields[required] as Field).type = { type: 'map', values: 'int' })),
        false,
      );
      if (optional >= 0)
        assert.equal(
          changed((c) => c.fields.splice(optional, 1)),
          true,
        );
    });
  }

  it('an enum may gain a symbol if it has a default, and only then', () => {
    const schemaOf = (symbols: string[], withDefault: boolean) => ({
      type: 'record',
      name: 'R',
      fields: [
        { name: 'e', type: { type: 'enum', name: 'E', symbols, ...(withDefault ? { default: 'unknown' } : {}) } },
      ],
    });
    assert.deepEqual(incompatibilities(schemaOf(['unknown', 'a'], true), schemaOf(['unknown', 'a', 'b'], true)), []);
    assert.notDeepEqual(
      incompatibilities(schemaOf(['unknown', 'a'], false), schemaOf(['unknown', 'a', 'b'], false)),
      [],
    );
  });
});
