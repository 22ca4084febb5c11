/**
 * `crawlstream desk`: a page for webmasters, on a separate port, to be published beside a crawl. A verified owner of
 * a host sees what the crawl did there, and may slow it down, pause it, or have the host removed.
 */

import { join } from 'node:path';
import type { Command } from 'commander';
import { compileAddressGuard } from '../../../../topology/fetch/address.ts';
import { canParse } from '../../../../topology/url/can-parse.ts';
import { collect, duration } from '../../../cli/flags/arguments.ts';
import { addReachOptions } from '../../../cli/flags/fetcher-flags.ts';
import { addHttpAccessOptions } from '../../../cli/flags/http-flags.ts';
import { addCrawlOptions } from '../../../cli/flags/kafka-flags.ts';
import { compileOverrides } from '../../../fetcher/connect/resolve-override.ts';
import { trustBeside } from '../../../fetcher/connect/trust.ts';
import { userAgentOf } from '../../../fetcher/http/identity.ts';
import { ownFolderPath } from '../../../hosting/connect/own-folder.ts';
import { refuseServed } from '../../../hosting/connect/refuse-served.ts';
import type { KafkaFlags } from '../../../hosting/options/crawl-place.ts';
import type { FetcherFlags } from '../../../hosting/options/fetching.ts';
import { type HttpFlags, withHttp } from '../../../hosting/options/http-side.ts';
import { identityOf } from '../../../hosting/options/identity.ts';
import { withStates } from '../../../hosting/state/state-source.ts';
import { receiptKey } from '../../../operation/forget/receipt.ts';
import { createGuardedRequest } from '../../../runtime/http/guarded-request.ts';
import { isLoopbackHost, type ListenAddress, parseListenAddress } from '../../../runtime/http/listen-address.ts';
import { toStdout } from '../../../runtime/logging/door.ts';
import { say } from '../../../runtime/logging/say.ts';
import type { Service } from '../../../runtime/metrics/service.ts';
import { bad } from '../../../runtime/option-text.ts';
import { stopOnSignals } from '../../../runtime/stop-signals.ts';
import { Desk } from '../desk.ts';
import { deskLimits } from '../desk-limits.ts';
import { deskRoutes } from '../desk-routes.ts';
import { deskSecret } from '../desk-secret.ts';
import type { Places } from '../prove-host.ts';
import { createSealer } from '../sealed.ts';
import { createTxtLookup } from '../txt-lookup.ts';
import { deskCrawl } from './desk-crawl.ts';

interface DeskFlags extends KafkaFlags, HttpFlags, Pick<FetcherFlags, 'allowPrivate' | 'resolve' | 'ca' | 'contact'> {
  readonly http: ListenAddress;
  readonly origin?: string;
  readonly secret?: string;
  readonly receiptKey?: string;
  readonly dns?: string[];
  readonly proof: number;
}

/** Next to the port of the dashboard. */
const deskAddress: ListenAddress = { host: '127.0.0.1', port: 9466 };
const proofDefaultMs = 30 * 60_000;
const dayMs = 86_400_000;

export function addDeskCommand(program: Command): void {
  const command = addCrawlOptions(program.command('desk')).description(
    'self-service page where verified site owners see, slow, pause or remove their host',
  );
  addHttpAccessOptions(addReachOptions(command))
    .option(
      '--http <host:port>',
      'address to listen on; a port alone: on this machine only, for a proxy in front',
      (value) => parseListenAddress('--http', value),
      deskAddress,
    )
    .option(
      '--origin <url>',
      'public origin of the desk, as in https://desk.example.org (default: its address)',
      origin,
    )
    .option(
      '--secret <key>',
      'key that seals the tokens of the desk, as env:NAME or file:PATH (default: created at first start)',
    )
    .option(
      '--receipt-key <key>',
      'Ed25519 private key that signs receipts: env:NAME or file:PATH (default: the crawl’s own)',
    )
    .option(
      '--dns <address>',
      'ask this server for TXT records, as in 192.0.2.53 (repeat for several)',
      collect(server),
    )
    .option(
      '--proof <duration>',
      'time after which an owner must prove control of a host again',
      duration('--proof', { leastMs: 1, mostMs: dayMs }),
      proofDefaultMs,
    )
    .action(serve);
}

async function serve(flags: DeskFlags): Promise<void> {
  const stop = new AbortController();
  await withStates(flags, async (source) => {
    const { clock, manifest, folder } = source;
    refuseServed(manifest, 'desk', 'ask its clients instead, since they fetch from the hosts');
    const own = folder?.path ?? ownFolderPath(flags, manifest.crawl);
    const sealer = createSealer(await deskSecret(flags.secret, join(own, 'desk', 'secret')));
    const key = await receiptKey(flags.receiptKey, join(own, 'receipts', 'key.pem'));
    const desk = new Desk({
      ...{ clock, sealer, places: placesOf(flags), of: deskCrawl(source, flags, key), proofMs: flags.proof },
    });
    let serving: Desk | undefined;
    const routes = deskRoutes({
      ...{ desk: () => serving, sealer, nowMs: () => clock.nowMs(), origin: flags.origin },
      isSecure: flags.httpCert !== undefined,
      isBehindProxy: isLoopbackHost(flags.http.host),
      onOrder: (text) => say(text, 'info', { component: 'http' }),
    });
    await withHttp(flags, { role: 'desk', routes: [routes], say }, async ({ probes, listensOn, isSecure }: Service) => {
      const release = stopOnSignals(stop, 'stopping');
      serving = desk;
      probes.serve(() => null);
      toStdout(`desk: ${flags.origin ?? `${isSecure ? 'https' : 'http'}://${listensOn}`}/\n`);
      await new Promise((resolve) => stop.signal.addEventListener('abort', resolve, { once: true }));
      serving = undefined;
      release();
    });
  });
}

function placesOf(flags: DeskFlags): Places {
  const ca = flags.ca?.join('\n');
  return {
    txt: createTxtLookup(flags.dns ?? []),
    request: createGuardedRequest({
      isBlocked: compileAddressGuard(flags.allowPrivate ?? false),
      overrides: compileOverrides(flags.resolve ?? []),
      ...(ca !== undefined && { secureContext: trustBeside(ca) }),
      ...{ timeoutMs: deskLimits.fileMs, bytesMax: deskLimits.fileBytesMax },
    }),
    headers: { 'user-agent': userAgentOf(identityOf(flags)), accept: 'text/plain', 'accept-encoding': 'identity' },
  };
}

function origin(value: string): string {
  const url = canParse(value) ? new URL(value) : null;
  if (url !== null && /^https?:$/.test(url.protocol) && url.pathname === '/' && url.search + url.hash === '')
    return url.origin;
  throw bad('--origin', value, 'give only scheme and host, as in https://desk.example.org');
}

function server(value: string): string {
  if (/^(?:[0-9.]+(?::\d{1,5})?|[0-9a-fA-F:]+|\[[0-9a-fA-F:]+\](?::\d{1,5})?)$/.test(value)) return value;
  throw bad('--dns', value, 'give an address, optionally with a port, as in 192.0.2.53');
}
