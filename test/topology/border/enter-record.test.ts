import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { avroSchemas } from '../../../schemas/avro.ts';
import { blankLinkGroup, blankOutcome, blankResult } from '../../../schemas/blank.ts';
import { type Range, ranges } from '../../../schemas/ranges.ts';
import type { LinkGroup } from '../../../schemas/types.ts';
import { enterRecord, refusalText } from '../../../topology/border/enter-record.ts';

/** Numeric fields by the record that holds them. */
function numbersOf(schema: unknown, found: Map<string, string[]>): Map<string, string[]> {
  if (typeof schema !== 'object' || schema === null) return found;
  const { name, fields, items, type } = schema as { name: string; fields?: { name: string; type: unknown }[] } & Record<
    'items' | 'type',
    unknown
  >;
  if (fields === undefined) return numbersOf(items ?? type, found);
  const typeOf = ({ type }: { readonly type: unknown }) => (type as { type?: string }).type ?? (type as string);
  const numbers = fields.filter((one) => ['int', 'long', 'float', 'double'].includes(typeOf(one)));
  if (numbers.length > 0) found.set(name, numbers.map((one) => one.name).sort());
  for (const field of fields) numbersOf(field.type, found);
  return found;
}

const link = { url: 'https://a.test/x', lastModifiedMs: 0, priority: -1, spelling: '' };
const group = (given: Partial<LinkGroup>) => ({ ...blankLinkGroup, hostKey: 'a.test', links: [link], ...given });

describe('the border', () => {
  it('the border has a range for each numeric field of each topic, and for no other', () => {
    const all = new Map<string, string[]>();
    for (const schema of Object.values(avroSchemas)) numbersOf(schema, all);
    const declared = Object.entries(ranges).map(([name, fields]) => [name, Object.keys(fields).sort()] as const);
    assert.deepEqual(new Map([...declared].sort()), new Map([...all].sort()));
    for (const fields of Object.values(ranges) as Readonly<Record<string, Range>>[])
      for (const [name, { least, most }] of Object.entries(fields)) assert.ok(least < most, name);
  });

  it('the border returns a record within its ranges unchanged', () => {
    const record = { groups: [group({ depth: 1 }), group({})] };
    assert.equal(enterRecord('discovered', record).record, record);
  });

  it('the border refuses only the invalid group of links, by field and value', () => {
    const record = { groups: [group({ depth: 1 }), group({ depth: -7 }), group({ hop: 2 ** 31 - 1 })] };
    const { record: entered, refusals } = enterRecord('discovered', record);
    assert.deepEqual(entered, { groups: [record.groups[0]] });
    assert.deepEqual(
      refusals.map((one) => [one.field, one.value, one.hostKey, one.url]),
      [
        ['groups[1].depth', -7, 'a.test', link.url],
        ['groups[2].hop', 2 ** 31 - 1, 'a.test', link.url],
      ],
    );
    assert.match(refusalText(refusals[0]!), /^groups\[1\]\.depth is -7, but must be from 0 to 1000000/);
  });

  it('the border clamps a value that only advises, and leaves the original record unchanged', () => {
    const given = { ...link, lastModifiedMs: -1, priority: 99 };
    const { record } = enterRecord('discovered', { groups: [group({ share: Number.NaN, links: [given] })] });
    assert.deepEqual(record!.groups[0]!.links, [{ ...link, lastModifiedMs: 0, priority: 7 }]);
    assert.equal(record!.groups[0]!.share, 0);
    assert.equal(given.priority, 99);
  });

  it('the border refuses a whole result with an outcome at no place, and bounds what its outcomes say', () => {
    const outcome = { ...blankOutcome, status: -5, retryAfterMs: 2 ** 53 };
    const bounded = enterRecord('results', { ...blankResult, outcomes: [outcome] });
    assert.deepEqual(bounded.record!.outcomes, [{ ...outcome, status: 0, retryAfterMs: 21_600_000 }]);
    const { record, refusals } = enterRecord('results', { ...blankResult, outcomes: [{ ...outcome, index: -1 }] });
    assert.deepEqual([record, refusals[0]!.field], [null, 'outcomes[0].index']);
  });
});
