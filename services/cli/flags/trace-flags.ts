/** Options of traces: which URLs are traced is policy, where their spans go is each process's own. */
import type { Command } from 'commander';
import { canParse } from '../../../topology/url/can-parse.ts';
import { bad } from '../../runtime/option-text.ts';
import { takes } from '../../runtime/value-schema.ts';
import { setting } from './setting.ts';

export function addOtlpOption(command: Command): Command {
  return command.addOption(
    setting(
      '--otlp <url>',
      'OpenTelemetry collector of metrics, logs, spans (default: OTEL_EXPORTER_OTLP_ENDPOINT)',
      'OpenTelemetry’s own variables apply; without a collector nothing is sent',
      collector,
    ),
  );
}

export function addTracePolicyOptions(command: Command): Command {
  return command
    .addOption(
      setting(
        '--trace-ratio <share>',
        'share of URLs to trace, as in 0.001; spans go to --otlp and, with --log json, the log',
        'a trace has eight spans, about 3 kB in the collector; metrics show a crawl’s health',
        ratio('--trace-ratio'),
      ),
    )
    .addOption(
      setting(
        '--trace-hosts <list>',
        'trace all URLs of these domains, as in a.example,b.example',
        'traces help to examine a single host',
        domains,
      ),
    );
}

/** 0 to 1, both included. */
export function ratio(option: string): (value: string) => number {
  return takes.ratio((value) => {
    const number = value.trim() === '' ? Number.NaN : Number(value);
    if (!(number >= 0 && number <= 1)) throw bad(option, value, 'give a share from 0 to 1, as in 0.001');
    return number;
  });
}

function domains(value: string): string[] {
  const list = value.split(',').map((one) => one.trim().toLowerCase());
  if (!list.every((one) => /^(\*|[^\s/:*]+)$/.test(one)))
    throw bad('--trace-hosts', value, 'give domains separated by commas, as in a.example,b.example, or * for all');
  return list;
}

function collector(value: string): string {
  if (/^https?:\/\/[^\s/]+/.test(value) && canParse(value)) return value;
  throw bad('--otlp', value, 'give the http address of a collector, as in http://localhost:4318');
}
