/** The HTTP client of a fetcher: names, users' rules, signatures. */
import { compileAddressGuard } from '../../topology/fetch/address.ts';
import { clientOptions } from './client-options.ts';
import { createDnsLookup } from './connect/dns-lookup.ts';
import { compileOverrides } from './connect/resolve-override.ts';
import { createResolver, type Resolver } from './connect/resolver.ts';
import type { Running } from './fetcher-options.ts';
import { createHttpClient, type HttpClient, type HttpClientOptions } from './http/client.ts';
import { compileRequestRules } from './http/request-rules.ts';
import { createSigner } from './http/web-bot-auth.ts';

export interface FetcherHttp {
  readonly resolver: Resolver;
  readonly http: HttpClient;
  readonly rules: ReturnType<typeof compileRequestRules> | undefined;
  readonly signer: ReturnType<typeof createSigner> | undefined;
}

export function openHttp({ options, clock }: Running, archive: HttpClientOptions['archive']): FetcherHttp {
  const { config } = options;
  const resolver = createResolver({
    clock,
    lookup: options.dnsLookup ?? createDnsLookup(),
    overrides: compileOverrides(config.resolve),
    isBlocked: compileAddressGuard(config.allowPrivate),
  });
  const rules = config.requests && compileRequestRules(config.requests, options.clock, config.say, config.seedOrigins);
  const signer = config.signing && createSigner(config.signing, options.clock.nowMs(), config.say);
  const http = (options.openHttp ?? createHttpClient)(
    clientOptions(config, { clock, resolver, rules, signer, archive }),
  );
  return { resolver, http, rules, signer };
}
