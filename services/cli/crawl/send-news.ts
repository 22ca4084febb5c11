/** Policy and seeds to the log of a data folder, where they are news: what was sent is kept in its crawl.json. */
import type { PolicyConfig } from '../../../topology/policy/policy.ts';
import type { Clock } from '../../runtime/clock.ts';
import { askedBy, readControl } from '../../runtime/crawl/control-log.ts';
import { policyRecords, samePolicy, seedRecords } from '../../runtime/crawl/requests.ts';
import type { DataFolder } from '../../runtime/data-folder/data-folder.ts';
import type { AppendRecord } from '../../runtime/log/log.ts';
import { readRequest, writeRequest } from '../connect/crawl-folder.ts';
import type { FolderLog } from '../connect/folder-log.ts';

export interface Asked {
  readonly folder: DataFolder;
  readonly clock: Clock;
  /** Normal. */
  readonly seeds: readonly string[];
  readonly policy: PolicyConfig;
}

/** Options that ask for what they asked for last time leave an operator's policy. */
export async function sendNews({ folder, clock, seeds, policy }: Asked, { log, codec }: FolderLog): Promise<void> {
  const { crawl: name } = folder.manifest;
  const before = await readRequest(folder);
  const records: AppendRecord[] = [];
  let sent = before.policy;
  if (sent === null || !samePolicy(sent, policy)) {
    const newest = (await readControl(log, codec, name)).policy?.version ?? 0;
    sent = { ...policy, version: Math.max(clock.nowMs(), newest + 1) };
    records.push(...policyRecords(codec, folder.manifest, sent, askedBy, clock.nowMs()));
  }
  const news = seeds.filter((seed) => !before.seeds.includes(seed));
  records.push(...seedRecords(codec, folder.manifest, news, clock.nowMs()));
  if (records.length === 0) return;
  await log.append(records);
  await writeRequest(folder, { seeds: [...before.seeds, ...news], policy: sent });
}
