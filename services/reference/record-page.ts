/** docs/page-record.md: the record of a page as a table, from its Avro schema. */
import { readFileSync } from 'node:fs';

interface AvroField {
  readonly name: string;
  readonly type: AvroType;
  readonly doc?: string;
}

type AvroType =
  | string
  | readonly AvroType[]
  | {
      readonly type: AvroType;
      readonly name?: string;
      readonly items?: AvroType;
      readonly values?: AvroType;
      readonly fields?: readonly AvroField[];
      readonly symbols?: readonly string[];
    };

const head = `# The record of a page

Made by \`npm run generate\` from [schemas/pages.avsc](../schemas/pages.avsc). \`crawlstream pages --long\` prints these fields as JSON,
with bytes in base64, and \`--fields url,title\` some of them. Consumers of the topic \`pages\` read all of them. Most are columns of \`export pages\`.

| field | type | means |
| --- | --- | --- |
`;

export function pageRecordPage(): string {
  const schema = JSON.parse(readFileSync(new URL('../../schemas/pages.avsc', import.meta.url), 'utf8')) as {
    readonly fields: readonly AvroField[];
  };
  return `${head}${rowsOf(schema.fields, '').join('\n')}\n`;
}

function rowsOf(fields: readonly AvroField[], path: string): string[] {
  return fields.flatMap(({ name, type, doc = '' }) => [
    `| \`${path}${name}\` | ${typeText(type)} | ${doc.replaceAll('|', '\\|').replaceAll(/\s+/g, ' ')} |`,
    ...inner(type, `${path}${name}`),
  ]);
}

function inner(type: AvroType, path: string): string[] {
  if (typeof type === 'string') return [];
  if (isUnion(type)) return type.flatMap((one) => inner(one, path));
  if (type.items !== undefined) return inner(type.items, `${path}[]`);
  return type.fields === undefined ? [] : rowsOf(type.fields, `${path}.`);
}

function typeText(type: AvroType): string {
  if (typeof type === 'string') return type;
  if (isUnion(type)) return type.map(typeText).join(' or ');
  if (type.items !== undefined) return `list of ${typeText(type.items)}`;
  if (type.values !== undefined) return `map of ${typeText(type.values)}`;
  if (type.symbols !== undefined) return type.symbols.map((one) => `\`${one}\``).join(', ');
  return type.fields !== undefined ? 'record' : typeText(type.type);
}

function isUnion(type: AvroType): type is readonly AvroType[] {
  return Array.isArray(type);
}
