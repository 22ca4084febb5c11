/** The parts that extras offer to the core. */
import { invalid } from '../../../topology/errors.ts';
import type { ExtraFields, FieldsOfExtra } from '../../../topology/policy/extra-fields.ts';
import type { CrawlPart } from './crawl-part.ts';
import type { Extension } from './extension.ts';
import type { LeaseClients } from './lease-clients.ts';

/** Undefined: no extra offers lease clients. Throws INVALID_ARGUMENT if several do. */
export async function leaseClientsOf(extras: readonly Extension[]): Promise<LeaseClients | undefined> {
  const [first, second] = extras.filter((extra) => extra.leaseClients !== undefined);
  if (second !== undefined)
    throw invalid(`the extras ${first!.name} and ${second.name} both offer lease clients: remove one of them`);
  return first?.leaseClients?.();
}

export function crawlPartsOf(extras: readonly Extension[]): Promise<CrawlPart[]> {
  return Promise.all(extras.flatMap(({ crawlPart }) => (crawlPart === undefined ? [] : [crawlPart()])));
}

/** Fields of policies. `declaring`: extras or plugins. */
export function fieldsOf(
  declaring: readonly { readonly name: string; readonly policyFields?: FieldsOfExtra | undefined }[],
): ExtraFields {
  return Object.fromEntries(
    declaring.flatMap(({ name, policyFields }) => (policyFields === undefined ? [] : [[name, policyFields]])),
  );
}
