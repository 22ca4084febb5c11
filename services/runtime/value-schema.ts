/**
 * JSON schemas of the values that parsers of options take, for files with values of settings. There, `5` is a number and
 * `"5"` a text: both are the same setting. A schema bounds numbers; of a text it sees the form alone, and the process
 * that reads it checks the rest.
 */
export type JsonSchema = Readonly<Record<string, unknown>>;

const schemas = new WeakMap<object, JsonSchema>();

/** undefined: the parser states none, and any text may be right. */
export function valueSchemaOf(parser: object | undefined): JsonSchema | undefined {
  return parser === undefined ? undefined : schemas.get(parser);
}

const wholeNumber = (least: number, most: number): JsonSchema => ({
  type: ['integer', 'string'],
  minimum: least,
  maximum: most,
  pattern: '^[0-9]+$',
});
/** A number has no unit: 0 alone needs none. */
const duration: JsonSchema = {
  type: ['string', 'integer'],
  pattern: '^[0-9]+(\\.[0-9]+)?(ms|s|m|h|d)$|^0+(\\.0+)?$',
  minimum: 0,
  maximum: 0,
};
/** Parsers round to whole bytes. */
const bytes = (least: number): JsonSchema => ({
  type: ['string', 'number'],
  pattern: '^[0-9]+(\\.[0-9]+)?[kKmMgGtT]?(i?[bB])?$',
  minimum: least - 0.5,
  maximum: Number.MAX_SAFE_INTEGER,
});
const fraction = { type: ['number', 'string'], pattern: '^[0-9.]+(e-[0-9]+)?$' };
const someOf = (choices: readonly string[]): JsonSchema => {
  const one = `\\s*(${choices.join('|')})\\s*`;
  return { type: 'string', pattern: `^${one}(,${one})*$` };
};

function taking<P extends object>(schema: JsonSchema | undefined, parser: P): P {
  if (schema !== undefined) schemas.set(parser, schema);
  return parser;
}

type Parser<T> = (value: string) => T;

/** Each notes the schema of a parser, and returns the parser. */
export const takes = {
  wholeNumber: <P extends object>(least: number, most: number, parser: P) => taking(wholeNumber(least, most), parser),
  duration: <T>(parser: Parser<T>) => taking(duration, parser),
  bytes: <T>(least: number, parser: Parser<T>) => taking(bytes(least), parser),
  /** Above 0 and below 1. */
  share: <T>(parser: Parser<T>) => taking({ ...fraction, exclusiveMinimum: 0, exclusiveMaximum: 1 }, parser),
  /** From 0 to 1. */
  ratio: <T>(parser: Parser<T>) => taking({ ...fraction, minimum: 0, maximum: 1 }, parser),
  oneOf: <P extends object>(choices: readonly string[], parser: P) => taking({ enum: choices }, parser),
  someOf: <T>(choices: readonly string[], parser: Parser<T>) => taking(someOf(choices), parser),
  sameAs: <T>(other: object, parser: Parser<T>) => taking(valueSchemaOf(other), parser),
  orNone: <T>(other: object, parser: Parser<T>) => {
    const schema = valueSchemaOf(other);
    return taking(schema && { anyOf: [schema, { const: 'none' }] }, parser);
  },
};
