/** The options of a fetcher's HTTP client, from its configuration. */
import type { FetcherConfig } from './fetcher-config.ts';
import type { HttpClientOptions } from './http/client.ts';

type Parts = Pick<HttpClientOptions, 'clock' | 'resolver'> & {
  readonly [part in 'rules' | 'signer' | 'archive']: HttpClientOptions[part] | undefined;
};

export function clientOptions(
  config: FetcherConfig,
  { clock, resolver, rules, signer, archive }: Parts,
): HttpClientOptions {
  return {
    ...{ clock, resolver },
    ...(config.limits === undefined ? {} : { limits: config.limits }),
    ...(config.connectionsPerOrigin === undefined ? {} : { connectionsPerOrigin: config.connectionsPerOrigin }),
    ...(rules === undefined ? {} : { rules }),
    ...(signer === undefined ? {} : { signer }),
    ...(config.http2 === undefined ? {} : { http2: config.http2 }),
    ...(archive === undefined ? {} : { archive }),
    ...(config.ca === undefined ? {} : { ca: config.ca }),
    ...(config.insecureHosts === undefined ? {} : { insecureHosts: new Set(config.insecureHosts) }),
  };
}
