/**
 * A real schema registry with the Confluent API (Confluent, Karapace, Apicurio), behind the registry port.
 *
 * Subjects are FULL_TRANSITIVE: frontiers and fetchers read each other's records during a rolling upgrade, and records of
 * any earlier version stay readable. The registry knows a schema by its content, so the same schema always has one id.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { SchemaRegistry as Client, COMPATIBILITY, SchemaType } from '@kafkajs/confluent-schema-registry';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { incompatibilities } from './compatibility.ts';
import type { SchemaRegistry } from './schema-registry.ts';
import { schemaUnknown } from './schema-registry.ts';

export interface RegistryLogin {
  readonly username: string;
  readonly password: string;
}

/** Of one call: a registry that does not answer is said to be away, not waited for. ms */
const callMs = 10_000;
const attemptsMax = 6;

export function openConfluentRegistry(url: string, auth?: RegistryLogin): SchemaRegistry {
  const client = new Client({
    host: url,
    clientId: 'crawlstream',
    retry: { retries: 1 },
    ...(auth && { auth: { ...auth } }),
  });
  const ask = <T>(call: Promise<T>): Promise<T> => inTime(call, url);

  /** Why the newest schema of a subject and ours don't go together; empty where they do. */
  const differences = async (subject: string, schema: object): Promise<string> => {
    const newest = await ask(client.getSchema(await ask(client.getLatestSchemaId(subject))));
    return incompatibilities(plain(newest), schema).join('; ');
  };

  /** The client sets rules only after a first registration: a crash between, or a process beside, leaves none. */
  const setRules = async (subject: string): Promise<void> => {
    const response = await fetch(`${url.replace(/\/$/, '')}/config/${encodeURIComponent(subject)}`, {
      method: 'PUT',
      headers: {
        'content-type': 'application/vnd.schemaregistry.v1+json',
        ...(auth && { authorization: basic(auth) }),
      },
      body: JSON.stringify({ compatibility: COMPATIBILITY.FULL_TRANSITIVE }),
      signal: AbortSignal.timeout(callMs),
    });
    await response.body?.cancel();
    if (!response.ok) throw new Error(`it answers ${response.status} to new rules for ${subject}`);
  };

  const registerOnce = async (subject: string, schema: object): Promise<number> => {
    const confluent = { type: SchemaType.AVRO, schema: JSON.stringify(schema) } as const;
    const options = { subject, compatibility: COMPATIBILITY.FULL_TRANSITIVE };
    try {
      return (await ask(client.register(confluent, options))).id;
    } catch (error) {
      if ((error as Error).name !== 'ConfluentSchemaRegistryCompatibilityError') throw error;
      await setRules(subject);
      return (await ask(client.register(confluent, options))).id;
    }
  };

  /** A conflict is a refusal, or just another process registering the same at this moment: then it passes. */
  const register = async (subject: string, schema: object): Promise<number> => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await registerOnce(subject, schema);
      } catch (error) {
        if (statusOf(error) !== 409) throw error;
        const why = await differences(subject, schema).catch(() => '');
        if (why !== '' || attempt === attemptsMax) throw refused(subject, why, error);
        await sleep(100 * attempt);
      }
    }
  };

  return {
    idFor: async (subject, schema) => {
      try {
        return await register(subject, schema);
      } catch (error) {
        throw unreachable(url, error);
      }
    },
    schemaById: async (id) => {
      try {
        return plain(await ask(client.getSchema(id)));
      } catch (error) {
        if (statusOf(error) === 404) throw schemaUnknown(id);
        throw unreachable(url, error);
      }
    },
  };
}

function refused(subject: string, why: string, cause: unknown): CrawlstreamError {
  const remedy = 'run the release that registered it, or start a crawl of another name';
  const message = `the registry refuses our schema of ${subject} (${why || 'an earlier version is not compatible with it'}): ${remedy}`;
  return new CrawlstreamError('SCHEMA_INCOMPATIBLE', message, cause);
}

async function inTime<T>(call: Promise<T>, url: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(unreachable(url, new Error('no answer in time'))), callMs);
  });
  try {
    return await Promise.race([call, late]);
  } finally {
    clearTimeout(timer);
  }
}

function basic({ username, password }: RegistryLogin): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

/** The client hands out compiled types; what a writer wrote by is their JSON. */
function plain(schema: unknown): object {
  return JSON.parse(JSON.stringify(schema)) as object;
}

function statusOf(error: unknown): number {
  return (error as { status?: number } | null)?.status ?? 0;
}

function unreachable(url: string, error: unknown): CrawlstreamError {
  if (error instanceof CrawlstreamError) return error;
  const { message } = error as Error;
  return new CrawlstreamError(
    'REGISTRY_UNREACHABLE',
    `the registry at ${url} cannot be used (${message.trim()}): check --registry`,
    error,
  );
}
