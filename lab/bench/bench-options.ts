/** Options that benches of the frontier share. Each has a default; a value that makes no sense is refused by name. */
import { parseArgs } from 'node:util';
import {
  type CompressionName,
  compressionDefault,
  compressionNames,
} from '../../services/runtime/log/kafka/compression/names.ts';
import { CrawlstreamError } from '../../topology/errors.ts';

export const seenKinds = ['exact', 'drum', 'bloom'] as const;
export type SeenKind = (typeof seenKinds)[number];

export interface BenchOptions {
  readonly urls: number;
  readonly hosts: number;
  /** Share of links that were given out before. */
  readonly duplicates: number;
  readonly seen: SeenKind;
  /** Memory of the seen test. */
  readonly memoryBytes: number;
  /** seen-test: URLs known before the measurement begins. */
  readonly known: number;
  readonly runs: number;
  /** Prints where the time goes. */
  readonly stages: boolean;
  /** URLs of one lease. */
  readonly lease: number;
  /** Folder of state and log that this bench keeps, or that an earlier bench kept. */
  readonly data: string | undefined;
  /** Folder for a CPU profile of the measured stretch. */
  readonly profile: string | undefined;
  readonly partitions: number;
  /** Compression of the records appended on Kafka. */
  readonly compression: CompressionName;
  /** For benches of several processes: the part of this process, and the log that it works on. */
  readonly part: string | undefined;
  readonly brokers: string;
  readonly crawl: string;
  /** hundred-million: ends a run early. */
  readonly hours: number;
  /** hundred-million: ends a run before its folder is larger. */
  readonly diskBytes: number;
  readonly json: boolean;
  /** The options that were given by name. */
  readonly given: ReadonlySet<string>;
}

export interface BenchDefaults {
  readonly urls: number;
  readonly hosts: number;
  /** Absent: 0.7. */
  readonly duplicates?: number;
}

const kinds = {
  count: [(value: number) => Number.isSafeInteger(value) && value > 0, 'a whole number above 0'],
  share: [(value: number) => value >= 0 && value <= 1, 'a share from 0 to 1'],
  amount: [(value: number) => value > 0 && value < Number.POSITIVE_INFINITY, 'a number above 0'],
} as const;

export function benchOptions(args: readonly string[], defaults: BenchDefaults): BenchOptions {
  const { values, tokens } = parse(args);
  const number = (
    name: 'urls' | 'hosts' | 'duplicates' | 'known' | 'memory' | 'runs' | 'lease' | 'hours' | 'disk' | 'partitions',
    byDefault: number,
    kind: keyof typeof kinds = 'count',
  ) => {
    const given = values[name];
    const value = given === undefined ? byDefault : Number(given);
    const [fits, wanted] = kinds[kind];
    if (!fits(value)) throw invalid(`--${name} ${given}: give ${wanted}`);
    return value;
  };
  const oneOf = <T extends string>(name: 'seen' | 'compression', choices: readonly T[], byDefault: T): T => {
    const found = choices.find((one) => one === (values[name] ?? byDefault));
    if (found === undefined) throw invalid(`--${name} ${values[name]}: give one of ${choices.join(', ')}`);
    return found;
  };
  return {
    urls: number('urls', defaults.urls),
    hosts: number('hosts', defaults.hosts),
    duplicates: number('duplicates', defaults.duplicates ?? 0.7, 'share'),
    seen: oneOf('seen', seenKinds, 'exact'),
    memoryBytes: number('memory', 256) * 2 ** 20,
    known: values.known === undefined ? 0 : number('known', 0),
    runs: number('runs', 1),
    lease: number('lease', 1),
    data: values.data,
    partitions: number('partitions', 4),
    compression: oneOf('compression', compressionNames, compressionDefault),
    part: values.part,
    brokers: values.brokers ?? '',
    crawl: values.crawl ?? '',
    hours: number('hours', 2, 'amount'),
    diskBytes: number('disk', 30, 'amount') * 1e9,
    stages: !values['no-stages'],
    profile: values.profile,
    json: values.json,
    given: new Set(tokens.flatMap((token) => (token.kind === 'option' ? [token.name] : []))),
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      tokens: true,
      options: {
        urls: { type: 'string' },
        hosts: { type: 'string' },
        duplicates: { type: 'string' },
        seen: { type: 'string' },
        known: { type: 'string' },
        memory: { type: 'string' },
        runs: { type: 'string' },
        lease: { type: 'string' },
        data: { type: 'string' },
        partitions: { type: 'string' },
        compression: { type: 'string' },
        part: { type: 'string' },
        brokers: { type: 'string' },
        crawl: { type: 'string' },
        hours: { type: 'string' },
        disk: { type: 'string' },
        'no-stages': { type: 'boolean', default: false },
        profile: { type: 'string' },
        json: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    throw invalid((error as Error).message);
  }
}

function invalid(message: string): CrawlstreamError {
  return new CrawlstreamError('INVALID_ARGUMENT', message);
}
