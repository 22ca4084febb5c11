/** Follows the fields of one extra or plugin in the policy of a crawl. */
import { extraValues, type FieldsOfExtra } from '../../../topology/policy/extra-fields.ts';
import { parsePolicy } from '../../../topology/policy/validate.ts';
import { followControl } from '../../runtime/crawl/control-log.ts';
import type { ProcessorContext } from '../processor/processor.ts';

/**
 * Returns a function that reads the values in the newest policy, with defaults for missing ones. The processor must
 * declare that it reads `control`.
 */
export function followFields(
  { log, codec, manifest, say }: Pick<ProcessorContext, 'log' | 'codec' | 'manifest' | 'say'>,
  name: string,
  fields: FieldsOfExtra,
): () => Promise<Readonly<Record<string, unknown>>> {
  const control = followControl(log, codec, manifest.crawl);
  let known = 0;
  return async () => {
    const { policy } = await control();
    const { values, refused } = extraValues(policy === null ? {} : parsePolicy(policy.json), name, fields);
    if (policy !== null && policy.version > known) {
      known = policy.version;
      for (const field of refused) say(`policy.extras.${name}.${field}: its value is invalid; the default applies`);
    }
    return values;
  };
}
