/** The parts that extras offer to the core. */
import { invalid } from '../../../topology/errors.ts';
import type { ExtraFields, FieldsOfExtra } from '../../../topology/policy/extra-fields.ts';
import type { OpenPayments } from '../../fetcher/pay/payments.ts';
import type { CrawlPart } from './crawl-part.ts';
import type { Extension } from './extension.ts';
import type { LeaseClients } from './lease-clients.ts';

/** Undefined: no extra offers lease clients. Throws INVALID_ARGUMENT if several do. */
export async function leaseClientsOf(extras: readonly Extension[]): Promise<LeaseClients | undefined> {
  return offerOf(extras, 'leaseClients', 'lease clients')?.();
}

/** Undefined: no extra offers payments. Throws INVALID_ARGUMENT if several do. */
export async function openPaymentsOf(extras: readonly Extension[]): Promise<OpenPayments | undefined> {
  return offerOf(extras, 'openPayments', 'payments')?.();
}

/** `what`: name of the offer for people. */
function offerOf<K extends 'leaseClients' | 'openPayments'>(
  extras: readonly Extension[],
  offer: K,
  what: string,
): Extension[K] | undefined {
  const [first, second] = extras.filter((extra) => extra[offer] !== undefined);
  if (second !== undefined)
    throw invalid(`the extras ${first!.name} and ${second.name} both offer ${what}: remove one of them`);
  return first?.[offer];
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
