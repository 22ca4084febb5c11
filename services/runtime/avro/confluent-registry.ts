/**
 * A real schema registry with the Confluent API (Confluent, Karapace, Apicurio), behind the registry port.
 *
 * Subjects are FULL_TRANSITIVE: frontiers and fetchers read each other's records during a rolling upgrade, and
 * records of any earlier version stay readable. A schema is recognised by its fingerprint. An existing schema is
 * used, under any id and with any docs, so only new schemas need the right to write.
 *
 * The client registers before it sets rules, lists no versions, and waits forever; this file corrects all three.
 */
import { Agent as HttpsAgent } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { SchemaRegistry as Client, COMPATIBILITY, SchemaType } from '@kafkajs/confluent-schema-registry';
import { Agent, fetch } from 'undici';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { fingerprintOf } from './avro-types.ts';
import { incompatibilities } from './compatibility.ts';
import { registrySubject, type SubjectStrategy } from './registry-subject.ts';
import type { SchemaRegistry } from './schema-registry.ts';
import { schemaUnknown } from './schema-registry.ts';

export interface RegistryLogin {
  /** Basic authentication. Absent: none. */
  readonly auth?: { readonly username: string; readonly password: string };
  /** Returns a bearer token (RFC 6750), called for each request. Absent: none. */
  readonly token?: () => Promise<string>;
  /** Naming strategy of subjects. Absent: by topic. */
  readonly subjects?: SubjectStrategy;
  /** The authority that signed its certificate, PEM. Absent: the system's. */
  readonly ca?: string;
}

/** Timeout of one call, ms: a registry that does not answer is reported as away. */
const callMsMax = 10_000;
const attemptsMax = 6;
const mediaType = 'application/vnd.schemaregistry.v1+json';

export function openConfluentRegistry(url: string, login: RegistryLogin = {}, callMs = callMsMax): SchemaRegistry {
  return new ConfluentRegistry(url, login, callMs);
}

/** Its public acts are fields, since callers wrap a registry by spreading it: `{ ...registry, idFor }`. */
class ConfluentRegistry implements SchemaRegistry {
  readonly #url: string;
  readonly #login: RegistryLogin;
  readonly #callMs: number;
  readonly #client: Client;
  readonly #dispatcher: Agent | undefined;

  constructor(url: string, login: RegistryLogin, callMs: number) {
    this.#url = url;
    this.#login = login;
    this.#callMs = callMs;
    const { auth, token, ca } = login;
    this.#client = new Client({
      host: url,
      clientId: 'crawlstream',
      retry: { retries: 1 },
      ...(auth && { auth: { ...auth } }),
      ...(token && { middlewares: [withToken(token)] }),
      ...(ca !== undefined && { agent: new HttpsAgent({ ca, keepAlive: true }) }),
    });
    this.#dispatcher = ca === undefined ? undefined : new Agent({ connect: { ca } });
  }

  #ask<T>(call: Promise<T>): Promise<T> {
    return inTime(call, this.#callMs);
  }

  /** Resolves to the answer; undefined: the registry does not know the subject or id. */
  async #request(method: string, path: string, body?: object): Promise<unknown> {
    const { auth, token } = this.#login;
    const authorization = token ? `Bearer ${await token()}` : auth && basic(auth);
    const headers = { 'content-type': mediaType, accept: mediaType, ...(authorization && { authorization }) };
    const init = {
      method,
      headers,
      signal: AbortSignal.timeout(this.#callMs),
      ...(body && { body: JSON.stringify(body) }),
      ...(this.#dispatcher && { dispatcher: this.#dispatcher }),
    };
    const response = await fetch(`${this.#url.replace(/\/$/, '')}${path}`, init);
    const text = await response.text();
    const { status } = response;
    const answer = json(text);
    if (response.ok && answer !== undefined) return answer;
    // A registry names the missing thing. A plain 404 comes from another service, or from a wrong path.
    if (status === 404 && typeof answer?.['error_code'] === 'number') return undefined;
    const what = response.ok ? `${status} without JSON` : `${status}`;
    const hint = status === 404 || response.ok ? `; ${usualPaths}` : '';
    throw Object.assign(new Error(`it answered ${what} to ${method} ${path}${hint}`), { status });
  }

  /** Versions of a subject with their schemas, newest first; the client caches them. */
  async #versionsOf(subject: string) {
    const versions = (await this.#request('GET', `/subjects/${encodeURIComponent(subject)}/versions`)) ?? [];
    return Promise.all(
      (versions as number[]).toReversed().map(async (version) => {
        const id = await this.#ask(this.#client.getRegistryId(subject, version));
        return { version, id, schema: plain(await this.#ask(this.#client.getSchema(id))) };
      }),
    );
  }

  /**
   * Sets the compatibility rule. Call before a first registration: otherwise, after a crash in between, or with
   * another process, a subject could lack the rule.
   */
  async #setRules(subject: string): Promise<void> {
    const rules = { compatibility: COMPATIBILITY.FULL_TRANSITIVE };
    const set = await this.#request('PUT', `/config/${encodeURIComponent(subject)}`, rules);
    if (set === undefined) throw new Error(`it accepts no rules for ${subject}`);
  }

  async #registerNew(subject: string, schema: object): Promise<number> {
    const confluent = { type: SchemaType.AVRO, schema: JSON.stringify(schema) } as const;
    const options = { subject, compatibility: COMPATIBILITY.FULL_TRANSITIVE };
    try {
      return (await this.#ask(this.#client.register(confluent, options))).id;
    } catch (error) {
      if ((error as Error).name !== 'ConfluentSchemaRegistryCompatibilityError') throw error;
      await this.#setRules(subject);
      return (await this.#ask(this.#client.register(confluent, options))).id;
    }
  }

  /**
   * A conflict is either a refusal, or another process that registers the same schema at this moment: then another try
   * succeeds.
   */
  async #register(subject: string, schema: object): Promise<number> {
    const fingerprint = fingerprintOf(schema);
    for (let attempt = 1; ; attempt++) {
      const versions = await this.#versionsOf(subject);
      const there = versions.find((each) => fingerprintOf(each.schema) === fingerprint);
      if (there) return there.id;
      try {
        if (versions.length === 0) await this.#setRules(subject);
        const id = await this.#registerNew(subject, schema);
        // Another process may have registered it at the same moment as a separate version: all use the oldest one.
        const same = (await this.#versionsOf(subject)).filter((each) => fingerprintOf(each.schema) === fingerprint);
        return same.at(-1)?.id ?? id;
      } catch (error) {
        if (statusOf(error) !== 409) throw error;
        const why = versions
          .map(({ version, schema: earlier }) => ({ version, found: incompatibilities(earlier, schema) }))
          .find(({ found }) => found.length > 0);
        if (why) throw refused(subject, `version ${why.version}: ${why.found.join('; ')}`, error);
        if (attempt === attemptsMax) throw refused(subject, (error as Error).message, error);
        await sleep(100 * attempt);
      }
    }
  }

  /**
   * Registers a schema once per process: roles that start together need the same ids. A registry that gets the same
   * schema twice at the same moment may create two versions of it.
   */
  readonly #underWay = new Map<string, Promise<number>>();
  #registerOnce(subject: string, schema: object): Promise<number> {
    const key = `${subject} ${fingerprintOf(schema)}`;
    let id = this.#underWay.get(key);
    if (id === undefined) {
      id = this.#register(subject, schema).finally(() => this.#underWay.delete(key));
      this.#underWay.set(key, id);
    }
    return id;
  }

  readonly idFor: SchemaRegistry['idFor'] = async (subject, schema) => {
    try {
      return await this.#registerOnce(registrySubject(this.#login.subjects ?? 'topic', subject, schema), schema);
    } catch (error) {
      throw unreachable(this.#url, error);
    }
  };

  readonly schemaById: SchemaRegistry['schemaById'] = async (id) => {
    try {
      return plain(await this.#ask(this.#client.getSchema(id)));
    } catch (error) {
      if (statusOf(error) === 404) throw schemaUnknown(id);
      throw unreachable(this.#url, error);
    }
  };
}

const usualPaths =
  'the usual addresses are http://HOST:8081 (Confluent, Karapace) and http://HOST:8080/apis/ccompat/v7 (Apicurio)';

/** Returns the parsed text; undefined: it is not JSON. */
function json(text: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

async function inTime<T>(call: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer in ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([call, late]);
  } finally {
    clearTimeout(timer);
  }
}

type Middleware = NonNullable<ConstructorParameters<typeof Client>[0]['middlewares']>[number];

/** The client's own way to add to a request. */
function withToken(token: () => Promise<string>): Middleware {
  return () => ({
    async prepareRequest(next) {
      const request = await next();
      return request.enhance({ headers: { authorization: `Bearer ${await token()}` } });
    },
  });
}

function basic({ username, password }: NonNullable<RegistryLogin['auth']>): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

/** The client returns compiled types; the writer's schema is their JSON. */
function plain(schema: unknown): object {
  return JSON.parse(JSON.stringify(schema)) as object;
}

function statusOf(error: unknown): number {
  return (error as { status?: number } | null)?.status ?? 0;
}

function refused(subject: string, why: string, cause: unknown): CrawlstreamError {
  const remedy = 'run the release that registered it, or start a crawl with another name';
  const message = `the registry rejects the schema of ${subject} (${why.trim()}): ${remedy}`;
  return new CrawlstreamError('SCHEMA_INCOMPATIBLE', message, cause);
}

function unreachable(url: string, error: unknown): CrawlstreamError {
  if (error instanceof CrawlstreamError) return error;
  const { message, cause } = error as Error;
  const why = cause instanceof Error && cause.message !== '' ? `${message}: ${cause.message}` : message;
  return new CrawlstreamError(
    'REGISTRY_UNREACHABLE',
    `the registry at ${url} cannot be used (${why.trim()}): check --registry`,
    error,
  );
}
