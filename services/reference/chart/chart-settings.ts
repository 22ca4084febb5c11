/**
 * `settings` of the chart: variables for every process. Those of the first list are also in the manifests' arguments.
 */
import type { Command } from 'commander';
import { crawlLimits } from '../../../topology/policy/crawl-limits.ts';
import { isSwitch } from '../../cli/config/parse-value.ts';
import { hiddenSettings, settingsOf } from '../../cli/config/settings.ts';
import { credentialVariables } from '../../runtime/crawl/kafka-credentials.ts';

export type JsonSchema = Readonly<Record<string, unknown>>;

export interface ChartSetting {
  readonly default: string | number;
  readonly about: string;
  readonly schema: JsonSchema;
}

const text = (pattern?: string): JsonSchema => ({ type: 'string', ...(pattern !== undefined && { pattern }) });
/** Empty: not set. */
const url = '^$|^https?://[^\\s]+$';
const place = '^$|^s3://[^/\\s]+(/[^\\s]*)?$|^/[^\\s]*$';
const crawlName = '^([A-Za-z0-9-]{1,60}\\.)?[A-Za-z0-9_-]{1,100}$';
/** `--set settings.CRAWL=2026` is a number to Helm. */
const name: JsonSchema = { type: ['string', 'integer'], pattern: crawlName };
const broker = '(\\[[0-9A-Fa-f:.]+\\]|[^\\s:,\\[\\]]+):[0-9]{1,5}';

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
    schema: text('^$|^[a-z0-9][^\\s,]*$'),
  },
  URLFRONTIER: { default: 'urlfrontier', about: 'name of the crawl of `urlfrontier`', schema: name },
};

/** Variables of libraries in the processes: the AWS SDK's region and endpoint, OpenTelemetry's collector, Node's heap. */
const libraryVariables = '^(AWS|OTEL|NODE)_[A-Z0-9_]+$';
const anyText: JsonSchema = { type: ['string', 'number', 'boolean'] };

/** Refuses unknown and misspelt settings. Secrets are refused, too: a ConfigMap shows them to all its readers. */
export function settingsSchema(program: Command): JsonSchema {
  const own = Object.entries(argumentSettings).map(([name, { about, schema }]) => [
    name,
    { ...schema, description: about },
  ]);
  const flags = settingsOf(program).map(({ env, option }) => {
    const schema = isSwitch(option)
      ? { enum: [true, false, 'true', 'false', 0, 1, '0', '1'] }
      : option.argChoices !== undefined
        ? { enum: option.argChoices }
        : anyText;
    return [env, { ...schema, description: option.description }];
  });
  const isSecret = (name: string) => name.endsWith('_PASSWORD');
  const hidden = hiddenSettings
    .filter(({ secret }) => !secret)
    .map(({ env, about }) => [env, { ...anyText, description: about }]);
  const credentials = credentialVariables.filter((name) => !isSecret(name)).map((name) => [name, anyText]);
  return {
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries([...credentials, ...hidden, ...flags, ...own]),
    patternProperties: { [libraryVariables]: anyText },
  };
}
