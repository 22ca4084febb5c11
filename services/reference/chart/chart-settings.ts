/**
 * `settings` of the chart: variables for every process. Those of the first list are also in the manifests' arguments.
 */
import type { Command, Option } from 'commander';
import { crawlLimits } from '../../../topology/policy/crawl-limits.ts';
import { isSwitch } from '../../cli/config/parse-value.ts';
import { hiddenSettings, settingsOf } from '../../cli/config/settings.ts';
import { subjectStrategies } from '../../runtime/avro/registry-subject.ts';
import { credentialVariables, kafkaMechanisms } from '../../runtime/crawl/kafka-credentials.ts';
import { storeNames } from '../../runtime/store/open-store.ts';
import { type JsonSchema, valueSchemaOf } from '../../runtime/value-schema.ts';

export interface ChartSetting {
  readonly default: string | number;
  readonly about: string;
  readonly schema: JsonSchema;
}

const text = (pattern?: string): JsonSchema => ({ type: 'string', ...(pattern !== undefined && { pattern }) });
/** 1 to 65535. */
const port = '(6553[0-5]|655[0-2][0-9]|65[0-4][0-9]{2}|6[0-4][0-9]{3}|[1-5][0-9]{4}|[1-9][0-9]{0,3})';
const address = '\\[[0-9A-Fa-f:.]+\\]';
/** Empty: not set. A name before the host is fine, and a password is refused: a ConfigMap shows it to all its readers. */
const url = `^$|^https?://([^\\s/?#@:]+@)?(${address}|[^\\s/?#@:\\[\\]]+)(:${port})?([/?#]\\S*)?$`;
const place = '^$|^s3://[^/\\s]+(/[^\\s]*)?$|^/[^\\s]*$';
const crawlName = '^([A-Za-z0-9-]{1,60}\\.)?[A-Za-z0-9_-]{1,100}$';
/** `--set settings.CRAWL=2026` is a number to Helm. */
const name: JsonSchema = { type: ['string', 'integer'], pattern: crawlName };
const broker = `(${address}|[^\\s:,\\[\\]/@]+):${port}`;

/** By the names that the manifests' arguments use. An empty one is not passed on. */
export const argumentSettings: Readonly<Record<string, ChartSetting>> = {
  BROKERS: {
    default: '',
    about: 'required: Kafka brokers, as in `kafka-1:9092,kafka-2:9092`. In `--set`, write `\\,` for a comma',
    schema: text(`^$|^${broker}(,${broker})*$`),
  },
  REGISTRY: {
    default: '',
    about: 'URL of the schema registry. Empty: none, and records carry fingerprints of their schemas',
    schema: text(url),
  },
  CRAWL: { default: 'crawl', about: 'name of the crawl, and prefix of its topics and groups', schema: name },
  PARTITIONS: {
    default: 12,
    about: 'partitions of a new crawl',
    schema: {
      type: ['integer', 'string'],
      minimum: 1,
      maximum: crawlLimits.partitionsMax,
      pattern: '^[1-9][0-9]{0,5}$',
    },
  },
  CONTACT: {
    default: '',
    about: 'required: your web or mail address, sent with each request, where webmasters reach you',
    schema: text('^$|^https?://[^\\s()]+$|^[^\\s@()]+@[^\\s@()]+\\.[^\\s@()]+$'),
  },
  SNAPSHOTS: {
    default: '',
    about: 'place of snapshots, as in `s3://bucket/prefix`. Empty: frontiers take none, and the changelog grows',
    schema: text(place),
  },
  ARCHIVE: {
    default: '',
    about: 'place of the WARC files, as in `s3://bucket/prefix`. Empty: no archive runs',
    schema: text(place),
  },
  OPENSEARCH: { default: '', about: 'URL of OpenSearch; required by `index.enabled`', schema: text(url) },
  OPENSEARCH_INDEX: {
    default: '',
    about: 'its index. Empty: the name of the crawl',
    schema: text('^$|^[a-z0-9][a-z0-9_.-]{0,200}$'),
  },
  URLFRONTIER: { default: 'urlfrontier', about: 'name of the crawl of `urlfrontier`', schema: name },
};

/** Variables of libraries in the processes: the AWS SDK's region and endpoint, OpenTelemetry's collector, Node's heap. */
const libraryVariables = '^(AWS|OTEL|NODE)_[A-Z0-9_]+$';
const anyText: JsonSchema = { type: ['string', 'number', 'boolean'] };
/** Refuses every value. */
const never: JsonSchema = { not: {} };

/** Variables that no option declares, or that policies read as addresses of peers. */
const furtherVariables: Readonly<Record<string, JsonSchema>> = {
  CRAWLSTREAM_STORE: { enum: ['auto', ...storeNames] },
  CRAWLSTREAM_KAFKA_TLS: { enum: [true, false, 'true', 'false', 0, 1, '0', '1'] },
  CRAWLSTREAM_KAFKA_MECHANISM: { enum: kafkaMechanisms.flatMap((name) => [name, name.toUpperCase()]) },
  CRAWLSTREAM_REGISTRY_SUBJECTS: { enum: subjectStrategies },
  CRAWLSTREAM_KAFKA_TOKEN_URL: text(url),
  CRAWLSTREAM_REGISTRY_TOKEN_URL: text(url),
  CRAWLSTREAM_OTLP: text(url),
  AWS_ENDPOINT_URL: text(url),
  AWS_ENDPOINT_URL_S3: text(url),
  AWS_SECRET_ACCESS_KEY: never,
  AWS_SESSION_TOKEN: never,
};

/**
 * Refuses unknown, misspelt and ill-typed settings, those that have no effect (all but `settable`, variables), and
 * secrets, since a ConfigMap shows them to all its readers.
 */
export function settingsSchema(program: Command, settable: ReadonlySet<string>): JsonSchema {
  const own = Object.entries(argumentSettings).map(([name, { about, schema }]) => [
    name,
    { ...schema, description: about },
  ]);
  const flags = settingsOf(program)
    .filter(({ env }) => settable.has(env))
    .map(({ env, option }) => [
      env,
      { ...(furtherVariables[env] ?? schemaOfOption(option)), description: option.description },
    ]);
  const isSecret = (name: string) => name.endsWith('_PASSWORD');
  const hidden = hiddenSettings
    .filter(({ secret }) => !secret)
    .map(({ env, about }) => [env, { ...(furtherVariables[env] ?? anyText), description: about }]);
  const credentials = credentialVariables.filter((name) => !isSecret(name)).map((name) => [name, anyText]);
  return {
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries([...credentials, ...Object.entries(furtherVariables), ...hidden, ...flags, ...own]),
    patternProperties: { [libraryVariables]: anyText, '^OTEL_EXPORTER_OTLP_(.+_)?ENDPOINT$': text(url) },
  };
}

function schemaOfOption(option: Option): JsonSchema {
  if (isSwitch(option)) return { enum: [true, false, 'true', 'false', 0, 1, '0', '1'] };
  if (option.argChoices !== undefined) return { enum: option.argChoices };
  return valueSchemaOf(option.parseArg) ?? anyText;
}
