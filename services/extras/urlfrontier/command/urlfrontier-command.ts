/**
 * `crawlstream urlfrontier`: its options. The server is loaded only when it is run, since gRPC is as large as
 * everything else.
 */

import type { Command } from 'commander';
import { wholeNumber } from '../../../cli/flags/arguments.ts';
import { addHttpOption } from '../../../cli/flags/http-flags.ts';
import { addCompressionOption, addKafkaOptions } from '../../../cli/flags/kafka-flags.ts';
import { addSeenOptions } from '../../../cli/flags/seen-flags.ts';
import { setting } from '../../../cli/flags/setting.ts';
import type { KafkaFlags } from '../../../hosting/options/crawl-place.ts';
import { type HttpFlags, withHttp } from '../../../hosting/options/http-side.ts';
import type { SeenFlags } from '../../../hosting/options/seen.ts';
import { say } from '../../../runtime/logging/say.ts';

/** Default port of URLFrontier's clients. */
const urlfrontierPort = 7071;

export interface UrlfrontierFlags extends KafkaFlags, SeenFlags, HttpFlags {
  readonly port: number;
  readonly address: string;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly allowPlain?: boolean;
}

export function addUrlfrontierCommand(program: Command): void {
  const command = program
    .command('urlfrontier')
    .description('serve the frontier to StormCrawler and other clients of URLFrontier’s gRPC API');
  addKafkaOptions(addSeenOptions(command), 'data folder (default: crawl-data/ and the name of the crawl)');
  addHttpOption(addCompressionOption(command))
    .addOption(
      setting(
        '--port <n>',
        'port to listen on; 0: any free port',
        'the default port of URLFrontier’s clients',
        wholeNumber('--port', 0, 65_535),
      ).default(urlfrontierPort),
    )
    .addOption(
      setting(
        '--address <host>',
        'address to listen on',
        'without a password, it listens on this machine only',
      ).default('127.0.0.1'),
    )
    .addOption(
      setting(
        '--tls-cert <file>',
        'TLS certificate chain (PEM file, reloaded when it changes)',
        'nobody can eavesdrop on loopback',
      ),
    )
    .addOption(setting('--tls-key <file>', 'private key of --tls-cert (PEM file)', 'needed only with a certificate'))
    .addOption(
      setting(
        '--allow-plain',
        'allow other machines to call --address without a token or TLS',
        'everybody who reaches the port could fill, pause and delete crawls',
      ),
    )
    .addHelpText(
      'after',
      '\nEvery call needs authorization: Bearer <token> where CRAWLSTREAM_GRPC_TOKEN is set.\n\nExample:\n  crawlstream urlfrontier --data crawl-data/served\n',
    )
    .action(async (flags: UrlfrontierFlags) => {
      const { serve } = await import('./serve.ts');
      return withHttp(flags, { role: 'urlfrontier', say }, (service) => serve(flags, service));
    });
}
