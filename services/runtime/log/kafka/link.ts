/**
 * One connection to one broker: open, versions checked, logged in. Its requests are answered in order, so a request
 * that may wait long (a fetch, joining a group) has a separate link. A link that failed in any way is closed for good:
 * a late answer can't be mistaken for another's.
 */
import { CrawlstreamError } from '../../../../topology/errors.ts';
import { isRefusedLogin, transient } from './errors.ts';
import { kafkaLimits } from './kafka-limits.ts';
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
  /** Asked at each connection: certificates and passwords change while a process lives. */
  readonly credentials: () => Credentials;
  readonly onKafkajsLog?: (entry: KafkajsLogEntry) => void;
}

export interface Credentials {
  /** `true`, or options of `tls.connect`. */
  readonly ssl?: boolean | object;
  /** In the format of kafkajs: mechanism (plain, scram-sha-256, scram-sha-512, oauthbearer, aws) and its fields. */
  readonly sasl?: object;
}

export interface LinkEvents {
  answered(address: string): void;
  failed(address: string, why: string): void;
  /** Called with the duration of each request, answered or not. Absent: not measured. */
  measured?(api: string, ms: number, isAnswered: boolean): void;
}

export interface Link {
  readonly address: string;
  /**
   * Leader epochs in the broker's metadata are correct: before Kafka 2.4 they were not, while partitions moved
   * (KAFKA-9212).
   */
  readonly hasLeaderEpochs: boolean;
  isOpen(): boolean;
  /** Throws BROKER_UNREACHABLE: the link is then closed, and it is unknown whether the request was executed. */
  send<T>(request: WireRequest): Promise<T>;
  close(): void;
}

export async function openLink({ host, port }: Address, options: LinkOptions, events?: LinkEvents): Promise<Link> {
  const address = `${host}:${port}`;
  const credentials = options.credentials();
  const connection = createWireConnection({
    host,
    port,
    clientId: options.clientId,
    connectTimeoutMs: kafkaLimits.connectTimeoutMs,
    requestTimeoutMs: kafkaLimits.requestTimeoutMs,
    ssl: credentials.ssl,
    sasl: credentials.sasl,
    onLog: options.onKafkajsLog,
  });
  let hasLeaderEpochs = false;
  const link = linkOver(connection, address, events, () => hasLeaderEpochs);
  try {
    await within(kafkaLimits.loginTimeoutMs, async () => {
      await connection.connect();
      connection.socket?.setNoDelay(true);
      const versions = await readVersions(connection);
      checkVersions(versions, address);
      hasLeaderEpochs = (versions[apiKeyOf('Metadata')]?.maxVersion ?? 0) >= metadataOfKafka24;
      connection.setVersions(versions);
      connection.setSupportAuthenticationProtocol(true);
      await connection.authenticate();
    });
  } catch (error) {
    link.close();
    events?.failed(address, (error as Error).message);
    if (error instanceof CrawlstreamError) throw error;
    throw notOpened(address, error as Error, credentials);
  }
  events?.answered(address);
  return link;
}

/** The version of Metadata that came with Kafka 2.4. */
const metadataOfKafka24 = 9;

function linkOver(
  connection: WireConnection,
  address: string,
  events: LinkEvents | undefined,
  hasLeaderEpochs: () => boolean,
): Link {
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
    get hasLeaderEpochs() {
      return hasLeaderEpochs();
    },
    isOpen: () => isOpen && connection.isConnected(),
    send: async <T>(request: WireRequest) => {
      if (!isOpen) throw transient(`the connection to broker ${address} is closed`);
      const sentMs = performance.now();
      const measured = (isAnswered: boolean) =>
        events?.measured?.(request.request.apiName, performance.now() - sentMs, isAnswered);
      try {
        const answer = (await connection.send(request)) as T;
        measured(true);
        events?.answered(address);
        return answer;
      } catch (error) {
        // A link that was closed here shows nothing about the broker.
        if (isOpen) {
          measured(false);
          events?.failed(address, (error as Error).message);
        }
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

function notOpened(address: string, error: Error, { ssl, sasl }: Credentials): CrawlstreamError {
  if (isRefusedLogin(error)) {
    return transient(
      `broker ${address} rejects the login (${error.message}): check the SASL user and password, or the token`,
      error,
    );
  }
  const remedy = ssl || sasl ? 'its TLS and SASL settings' : 'whether it wants TLS or SASL';
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
