/** Snapshots of a frontier's state: place, interval, and number to keep. */
import { CrawlstreamError } from '../../../topology/errors.ts';

export interface SnapshotRoleFlags {
  /** Absent: none are taken. ms */
  readonly snapshotEvery?: number;
  /** A folder, or `s3://bucket/prefix`. */
  readonly snapshotTo?: string;
  readonly snapshotsKept: number;
}

/** On Kafka, a partition's next owner may be on another machine, so the place must be given. */
export function needSnapshotPlace({ snapshotEvery, snapshotTo }: SnapshotRoleFlags): void {
  if (snapshotEvery === undefined || snapshotTo !== undefined) return;
  const message = '--snapshot-every needs --snapshot-to: a folder that every frontier sees, or s3://bucket/prefix';
  throw new CrawlstreamError('INVALID_ARGUMENT', message);
}
