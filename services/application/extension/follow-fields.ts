/** Follows the fields of one extra or plugin in the policy of a crawl. */
import { extraValues, type FieldsOfExtra } from '../../../topology/policy/extra-fields.ts';
import { parsePolicy } from '../../../topology/policy/validate.ts';
import { followControl } from '../../runtime/crawl/control-log.ts';
import { errorOf } from '../../runtime/thrown.ts';
import type { ProcessorContext } from '../processor/processor.ts';

/** Policies change by hand: a consumer need not look before each of its batches. */
const lookEveryMs = 1_000;

/**
 * Returns a function that reads the values in the newest policy, with defaults for missing ones. Of an unreadable policy,
 * the values before it stay. Rejects if `control` cannot be read. The processor must declare that it reads `control`.
 */
export function followFields(
  { log, codec, clock, manifest, say }: Pick<ProcessorContext, 'log' | 'codec' | 'clock' | 'manifest' | 'say'>,
  name: string,
  fields: FieldsOfExtra,
): () => Promise<Readonly<Record<string, unknown>>> {
  const control = followControl(log, codec, manifest.crawl);
  let { values } = extraValues({}, name, fields);
  let known = 0;
  let lookAtMs = 0;
  return async () => {
    if (clock.nowMs() < lookAtMs) return values;
    const { policy } = await control();
    lookAtMs = clock.nowMs() + lookEveryMs;
    if (policy === null || policy.version === known) return values;
    known = policy.version;
    try {
      const read = extraValues(parsePolicy(policy.json), name, fields);
      values = read.values;
      for (const field of read.refused)
        say(`policy.extras.${name}.${field}: its value is invalid; the default applies`);
    } catch (error) {
      say(`version ${known} of the policy cannot be read, and the values before it apply: ${errorOf(error).message}`);
    }
    return values;
  };
}
