/**
 * Errors a user or an operator can meet, as a closed set of codes.
 *
 * Data faults are values (an outcome, a dead letter). A thrown error is either a bug or one of these. `message` is one
 * line that names the field or the thing, and the remedy.
 */

/** code → true if the same call may succeed later without any change. */
const retriable = {
  INVALID_ARGUMENT: false,
  INVALID_SEED: false,
  INVALID_RECORD: false,
  RECORD_TOO_LARGE: false,
  DATA_FOLDER_LOCKED: false,
  DATA_FOLDER_FOREIGN: false,
  DATA_FOLDER_NEWER: false,
  STORE_FAILED: false,
  STORE_CLOSED: false,
  STORE_UNSUPPORTED: false,
  STORE_MISMATCH: false,
  DISK_FULL: false,
  TOPIC_MISMATCH: false,
  CRAWL_MISSING: true,
  NO_MATCH: false,
  OFFSET_OUT_OF_RANGE: false,
  LOG_TRUNCATED: false,
  CHANGELOG_GAP: false,
  LOAD_UNFINISHED: false,
  DECISION_TOO_SLOW: false,
  FORGET_FAILED: true,
  STATE_DIVERGED: false,
  SNAPSHOT_DAMAGED: false,
  // Another owner has the partition or the group's part: nothing else is meant.
  OWNERSHIP_LOST: true,
  // It is starting, stopping, or changes hands.
  NOT_READY: true,
  BUSY: true,
  PROCESS_ENDED: true,
  // Stop the group first.
  GROUP_ACTIVE: false,
  // Resume it first.
  NOT_RUNNING: false,
  // The record that it failed on becomes a dead letter at its third try.
  STEP_FAILED: true,
  // The schema becomes known when the registry comes back, or when a frontier notes it.
  SCHEMA_UNKNOWN: true,
  SCHEMA_INCOMPATIBLE: false,
  // Until the registry is restored.
  SCHEMA_CONFLICT: true,
  BROKER_UNREACHABLE: true,
  REGISTRY_UNREACHABLE: true,
  DESTINATION_UNREACHABLE: true,
  HUB_UNREACHABLE: true,
  DESTINATION_REFUSED: false,
  UNSUPPORTED: false,
} as const;

export type ErrorCode = keyof typeof retriable;

/** An error for users and operators. `code`: one of a closed set. `retriable`: trying again later may succeed. */
export class CrawlstreamError extends Error {
  override readonly name = 'CrawlstreamError';
  readonly code: ErrorCode;
  readonly retriable: boolean;

  /** Also errors of another copy of this class: the built command has one, and the package's entries have another. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    // biome-ignore lint/complexity/noThisInStatic: `this` is a class that extends it, and has one copy
    if (this !== CrawlstreamError) return Function.prototype[Symbol.hasInstance].call(this, value);
    return value instanceof Error && value.name === 'CrawlstreamError' && 'code' in value && 'retriable' in value;
  }

  constructor(code: ErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.retriable = retriable[code];
  }
}

/** True if it is an error with one of these codes. */
export function hasCode(error: unknown, ...codes: readonly ErrorCode[]): boolean {
  return error instanceof CrawlstreamError && codes.includes(error.code);
}

/** An argument, option, field or body that cannot be taken: `message` names it and the remedy. */
export function invalid(message: string): CrawlstreamError {
  return new CrawlstreamError('INVALID_ARGUMENT', message);
}
