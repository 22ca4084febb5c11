/** Errors of brokers and connections, as the project's own codes; and trying again what may pass. */
import { setTimeout as sleep } from 'node:timers/promises';
import { CrawlstreamError } from '../../../../topology/errors.ts';
import { kafkaLimits } from './kafka-limits.ts';
import { errorOf } from './kafkajs-wire.ts';

/** The error may pass without action: a broker restarts, a leader moves. */
export function transient(message: string, cause?: unknown): CrawlstreamError {
  return new CrawlstreamError('BROKER_UNREACHABLE', message, cause);
}

export function isTransient(error: unknown): error is CrawlstreamError {
  return error instanceof CrawlstreamError && error.code === 'BROKER_UNREACHABLE' && !isRefusedLogin(error);
}

/** Wrong credentials, or a mechanism the broker does not have: no use trying again. */
export function isRefusedLogin(error: unknown): boolean {
  const cause = error instanceof CrawlstreamError ? error.cause : error;
  return (cause as Error | undefined)?.name === 'KafkaJSSASLAuthenticationError';
}

/** Throws the error for a broker's error code. `what`: the action, such as `appending to crawl.pages/3`; 0 is success. */
export function throwFor(code: number, what: string): void {
  if (code === 0) return;
  const { type, retriable, message } = errorOf(code);
  if (retriable) throw transient(`${what} failed: ${type}; retrying, since the broker calls it temporary`);
  if (type.endsWith('AUTHORIZATION_FAILED')) {
    throw new CrawlstreamError(
      'INVALID_ARGUMENT',
      `${what} is not allowed for this user (${type}): grant the right (crawlstream acls lists them)`,
    );
  }
  const remedy = remedies[type] ?? '';
  throw new CrawlstreamError('STORE_FAILED', `${what} failed: ${type}: ${message}${remedy}`);
}

const check = 'crawlstream topics check names the topic and the command that mends it';
/** By the brokers' error names: remedies for topic settings that refuse our records. */
const remedies: Readonly<Record<string, string>> = {
  INVALID_RECORD: `; a compacted topic refuses records without a key: ${check} (cleanup.policy)`,
  MESSAGE_TOO_LARGE: `; ${check} (max.message.bytes)`,
  RECORD_LIST_TOO_LARGE: `; ${check} (segment.bytes)`,
};

/** A deadline in monotonic ms. */
export function deadlineIn(ms: number): number {
  return performance.now() + ms;
}

/** Tries until it succeeds, fails for good, or the next try would begin after the deadline. */
export async function retrying<T>(deadline: number, act: () => Promise<T>): Promise<T> {
  for (let pauseMs: number = kafkaLimits.retryMs; ; pauseMs = Math.min(2 * pauseMs, kafkaLimits.retryMsMax)) {
    try {
      return await act();
    } catch (error) {
      if (!isTransient(error) || performance.now() + pauseMs > deadline) throw error;
    }
    await sleep(pauseMs);
  }
}
