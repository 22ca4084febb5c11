/** The options that name a crawl to other commands, so that a printed command can be pasted. */
import { inShell } from '../../runtime/in-shell.ts';

export interface Place {
  readonly data?: string | undefined;
  readonly brokers?: string | undefined;
  readonly registry?: string | undefined;
  readonly crawl?: string | undefined;
}

export function placeText({ data, brokers, registry, crawl = 'crawl' }: Place): string {
  if (brokers === undefined) return `--data ${inShell(data ?? '')}`;
  const coded = registry === undefined ? '' : ` --registry ${inShell(registry)}`;
  return `--brokers ${inShell(brokers)}${coded} --crawl ${inShell(crawl)}`;
}
