/** Policies in files, YAML or JSON: a whole one as `policy show` prints it, or the fields that change. */
import { dirname, resolve } from 'node:path';
import { CrawlstreamError } from '../../../topology/errors.ts';
import type { ExtraFields } from '../../../topology/policy/extra-fields.ts';
import { type Fields, isFields } from '../../../topology/policy/is-fields.ts';
import { defaultPolicy, type PolicyConfig } from '../../../topology/policy/policy.ts';
import { policyWithoutVersion } from '../../../topology/policy/validate.ts';
import { installedFields } from '../../application/extra-fields.ts';
import { parsedFile } from '../../hosting/options/rules-file.ts';
import { withHashes } from './policy-versions.ts';

/** A file with these fields is a whole policy: fields that it leaves out are absent from it. */
const fieldsOfWhole = ['normalize', 'filters', 'scope', 'delayMs', 'retriesMs', 'urlsPerLeaseMax'];

/** `fields`: those of extras and plugins. Throws INVALID_ARGUMENT, naming the file and the field. */
export async function policyFromFile(
  option: string,
  file: string,
  inForce: PolicyConfig,
  fields: ExtraFields = installedFields,
): Promise<PolicyConfig> {
  const given = fieldsIn(option, file);
  const { version: _, ...rest } = { version: 0, ...given };
  const isWhole = fieldsOfWhole.every((name) => name in rest);
  const config = isWhole ? rest : merged(inForce as unknown as Fields, rest);
  try {
    return await withHashes(policyWithoutVersion(JSON.stringify(config), inForce, fields), dirname(resolve(file)));
  } catch (error) {
    if (!(error instanceof CrawlstreamError) || error.code !== 'INVALID_ARGUMENT') throw error;
    throw new CrawlstreamError(
      error.code,
      `${option} ${file}: ${error.message} (crawlstream policy show prints all fields)`,
      error,
    );
  }
}

/** The policy in a file, without a crawl: fields that are left out have their defaults. */
export async function policyInFile(option: string, file: string): Promise<PolicyConfig> {
  const { version } = fieldsIn(option, file);
  const config = await policyFromFile(option, file, defaultPolicy());
  return typeof version === 'number' ? { ...config, version } : config;
}

function fieldsIn(option: string, file: string): Fields {
  const value = parsedFile(option, file);
  if (isFields(value)) return value;
  throw new CrawlstreamError(
    'INVALID_ARGUMENT',
    `${option} ${file}: give a policy as printed by crawlstream policy show, or some of its fields, as in delayMs: 2000`,
  );
}

/** Fields within fields, too; lists are replaced. */
function merged(inForce: Fields, given: Fields): Fields {
  const policy: Record<string, unknown> = { ...inForce };
  for (const [key, value] of Object.entries(given)) {
    const before = policy[key];
    policy[key] = isFields(before) && isFields(value) ? merged(before, value) : value;
  }
  return policy;
}
