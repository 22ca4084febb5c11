/** `--clients-grpc`: the gRPC side of a crawl with lease clients, while the crawl runs. */
import type { Command } from 'commander';
import { setting } from '../../../cli/flags/setting.ts';
import { parseListenAddress } from '../../../runtime/http/listen-address.ts';

export function addClientsGrpcOptions(command: Command): Command {
  return command
    .addOption(
      setting(
        '--clients-grpc <host:port>',
        'address for leases by gRPC (schemas/leases.proto); a port alone: this machine only',
        'no port opens unasked',
        (value) => parseListenAddress('--clients-grpc', value),
      ).forOneRun(),
    )
    .addOption(
      setting(
        '--clients-grpc-cert <file>',
        'TLS certificate chain of --clients-grpc (PEM file, reloaded when it changes)',
        'nobody can eavesdrop on loopback',
      ).forOneRun(),
    )
    .addOption(
      setting(
        '--clients-grpc-key <file>',
        'private key of --clients-grpc-cert (PEM file)',
        'needed only with a certificate',
      ).forOneRun(),
    )
    .addOption(
      setting(
        '--clients-grpc-plain',
        'serve other machines on --clients-grpc even if a token, TLS or both are missing',
        'everybody who reaches the port could take and add URLs',
      ).forOneRun(),
    );
}
