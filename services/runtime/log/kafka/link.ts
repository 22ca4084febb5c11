/**
 * One connection to one broker: open, versions checked, logged in. Requests on it are answered in order, so whatever
 * may wait long (a fetch, joining a group) has a link of its own. A link that failed in any way is closed for good:
 * a late answer can't be taken for another's.
 */
import { CrawlstreamError } from '../../../../topology/errors.ts';
import { kafkaLimits } from '../../../../topology/kafka-limits.ts';
import { isRefusedLogin, transient } from './errors.ts';
import {
  type ApiName,
  type ApiVersions,
  apiKeyOf,
  apis,
  createWireConnection,
  type KafkajsLogEntry,
  raw,
  type WireConnection,
  type WireRequest,
} from './kafkajs-wire.ts';

export interface Address {
  readonly host: string;
  readonly port: number;
}

export interface LinkOptions {
  readonly clientId: string;
  /** `true`, or options of `tls.connect`. */
  readonly ssl?: boolean | object;
  /** As kafkajs takes it: mechanism (plain, scram-sha-256, scram-sha-512, oauthbearer, aws) and its fields. */
  readonly sasl?: object;
  readonly onKafkajsLog?: (entry: KafkajsLogEntry) => void;
}

export interface Link {
  readonly address: string;
  isOpen(): boolean;
  /** Throws BROKER_UNREACHABLE, after which the link is closed and whether the request was done is not known. */
  send<T>(request: WireRequest): Promise<T>;
  close(): void;
}

export async function openLink({ host, port }: Address, options: LinkOptions): Promise<Link> {
  const address = `${host}:${port}`;
  const connection = createWireConnection({
    host,
    port,
    clientId: options.clientId,
    connectTimeoutMs: kafkaLimits.connectTimeoutMs,
    requestTimeoutMs: kafkaLimits.requestTimeoutMs,
    ssl: options.ssl,
    sasl: options.sasl,
    onLog: options.onKafkajsLog,
  });
  const link = linkOver(connection, address);
  try {
    await within(kafkaLimits.loginTimeoutMs, async () => {
      await connection.connect();
      connection.socket?.setNoDelay(true);
      const versions = await readVersions(connection);
      checkVersions(versions, address);
      connection.setVersions(versions);
      connection.setSupportAuthenticationProtocol(true);
      await connection.authenticate();
    });
  } catch (error) {
    link.close();
    if (error instanceof CrawlstreamError) throw error;
    throw notOpened(address, error as Error, options);
  }
  return link;
}

function linkOver(connection: WireConnection, address: string): Link {
  let isOpen = true;
  const close = () => {
    if (!isOpen) return;
    isOpen = false;
    connection.rejectRequests(new Error('the connection was closed'));
    connection.disconnect().catch(() => {});
    connection.socket?.destroy();
  };
  return {
    address,
    isOpen: () => isOpen && connection.isConnected(),
    send: async <T>(request: WireRequest) => {
      if (!isOpen) throw transient(`the connection to broker ${address} is closed`);
      try {
        return (await connection.send(request)) as T;
      } catch (error) {
        close();
        const message = `broker ${address} did not answer ${request.request.apiName}: ${(error as Error).message}`;
        throw transient(message, error);
      }
    },
    close,
  };
}

async function readVersions(connection: WireConnection): Promise<ApiVersions> {
  const answer = (await connection.send(raw('ApiVersions', {}))) as {
    apiVersions: readonly { apiKey: number; minVersion: number; maxVersion: number }[];
  };
  return Object.fromEntries(answer.apiVersions.map((each) => [each.apiKey, each]));
}

function checkVersions(versions: ApiVersions, address: string): void {
  for (const [name, version] of Object.entries(apis)) {
    const range = versions[apiKeyOf(name as ApiName)];
    if (range && range.minVersion <= version && version <= range.maxVersion) continue;
    const there = range ? `${range.minVersion} to ${range.maxVersion}` : 'none';
    throw new CrawlstreamError(
      'UNSUPPORTED',
      `broker ${address} speaks ${name} ${there}, not ${version}: Kafka 2.3 to 4.3 are supported`,
    );
  }
}

function notOpened(address: string, error: Error, options: LinkOptions): CrawlstreamError {
  if (isRefusedLogin(error)) {
    return transient(
      `broker ${address} refuses the login (${error.message}): check the SASL user and password, or the token`,
      error,
    );
  }
  const remedy = options.ssl || options.sasl ? 'its TLS and SASL settings' : 'whether it wants TLS or SASL';
  return transient(
    `broker ${address} can't be reached (${error.message}): check the address, that it runs, and ${remedy}`,
    error,
  );
}

async function within<T>(ms: number, act: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer in ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([act(), late]);
  } finally {
    clearTimeout(timer);
  }
}
