/** `--http`: the HTTP side of a service, while the service runs. */
import type { Command } from 'commander';
import { openings } from '../../runtime/http/access.ts';
import { parseListenAddress } from '../../runtime/http/listen-address.ts';
import { oneOf } from './arguments.ts';
import { setting } from './setting.ts';

export function addHttpOption(command: Command): Command {
  command.addOption(
    setting(
      '--http <host:port>',
      'address for probes, metrics and queries over HTTP; a port alone: this machine only',
      'no port opens unasked; a port without a host listens on this machine only',
      (value) => parseListenAddress('--http', value),
    ),
  );
  return addHttpAccessOptions(command);
}

/** Access and TLS of the HTTP side. */
export function addHttpAccessOptions(command: Command): Command {
  return command
    .addOption(
      setting(
        '--http-open <what>',
        'what other machines may read without a token: metrics or reads (default: only probes)',
        'everybody who reaches the port could read the crawl’s URLs and progress',
        oneOf('--http-open', openings),
      ),
    )
    .addOption(
      setting(
        '--http-cert <file>',
        'TLS certificate chain of --http (PEM file, reloaded when it changes)',
        'nobody can eavesdrop on loopback',
      ),
    )
    .addOption(setting('--http-key <file>', 'private key of --http-cert (PEM file)', 'needed only with a certificate'));
}
