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

/** Fields of policies. `declaring`: extras and plugins. Throws INVALID_ARGUMENT if two of one name declare some. */
export function fieldsOf(
  declaring: readonly { readonly name: string; readonly policyFields?: FieldsOfExtra | undefined }[],
): ExtraFields {
  const fields: Record<string, FieldsOfExtra> = {};
  for (const { name, policyFields } of declaring) {
    if (policyFields === undefined) continue;
    if (Object.hasOwn(fields, name))
      throw invalid(`an extra and a plugin of the name ${name} both declare fields of policies: rename the plugin`);
    fields[name] = policyFields;
  }
  return fields;
}
