/**
 * Posts to webhooks. It refuses addresses that the fleet's fetches may not contact, because callers choose the URLs.
 */

import { CrawlstreamError } from '../../../../topology/errors.ts';
import { compileAddressGuard } from '../../../../topology/fetch/address.ts';
import { canParse } from '../../../../topology/url/can-parse.ts';
import { compileOverrides } from '../../../fetcher/connect/resolve-override.ts';
import { trustBeside } from '../../../fetcher/connect/trust.ts';
import { createGuardedRequest, refusalOfUrl } from '../../../runtime/http/guarded-request.ts';
import { productVersion } from '../../../runtime/version.ts';
import { webhookLimits } from '../webhooks/webhook-limits.ts';
import type { WebhookSenderOptions } from '../webhooks/webhook-sender.ts';
import type { FleetFlags } from './fleet-flags.ts';

const guardOf = ({ allowPrivate }: FleetFlags) => compileAddressGuard(allowPrivate ?? false);

/** Throws INVALID_ARGUMENT. Host names are resolved only at each request, because their addresses may change. */
export function checkWebhook(flags: FleetFlags, url: string): void {
  const parsed = canParse(url) ? new URL(url) : null;
  const named = parsed !== null && (parsed.username !== '' || parsed.password !== '');
  const why =
    parsed === null
      ? 'it is not a URL'
      : named
        ? 'it has a user name or password; remove them, since requests are signed'
        : refusalOfUrl(parsed, guardOf(flags));
  if (why === null) return;
  throw new CrawlstreamError('INVALID_ARGUMENT', `webhook.url: ${why}; give an http or https URL at a public address`);
}

export function webhookPost(flags: FleetFlags): WebhookSenderOptions['post'] {
  const { timeoutMs, answerBytesMax: bytesMax } = webhookLimits;
  const ca = flags.ca?.join('\n');
  const request = createGuardedRequest({
    ...{ isBlocked: guardOf(flags), timeoutMs, bytesMax, overrides: compileOverrides(flags.resolve ?? []) },
    ...(ca !== undefined && { secureContext: trustBeside(ca) }),
  });
  const agent = { 'user-agent': `crawlstream/${productVersion}` };
  return async (url, headers, body) => {
    const { status, headers: answered } = await request(url, { ...agent, ...headers }, body);
    return { status, retryAfter: answered['retry-after'] ?? '' };
  };
}
