/**
 * Runs the hooks of all plugins, one plugin after another, and times each call. If a hook throws, or does not return in
 * time, its URL fails with an error that names the plugin, and the fetcher continues.
 */
import type { Page } from '../../../schemas/types.ts';
import { frontQueueCount } from '../../../topology/url/front-queue.ts';
import type { HttpResponse } from '../http/client.ts';
import type { FetchHooks, FoundUrl, HookOffer, HookParsed, HookRequest, NamedHooks } from './fetch-hooks.ts';
import { hookResponse, withHookResponse } from './hook-response.ts';
import { pluginLimits } from './plugin-limits.ts';

export type HookName = keyof FetchHooks;

/** A plugin's fault. Its message begins with the plugin's name. */
export class HookFailed extends Error {
  override readonly name = 'HookFailed';
}

/** Cost of a plugin's hook so far. */
export interface HookUse {
  readonly plugin: string;
  readonly hook: HookName;
  calls: number;
  seconds: number;
  faults: number;
}

/** Everything that calls a hook throws, or rejects with, HookFailed. */
export interface Hooks {
  /** The plugin that does not want the URL; null: all want it. */
  refuses(found: FoundUrl): string | null;
  /** null: it is not wanted. */
  normalize(url: string): string | null;
  /** The front queue that the first plugin which has a wish names; -1: none has. */
  priority(found: FoundUrl): number;
  /** `skip`: the reason to skip the URL, with the name of the plugin. Empty: request it. */
  request(request: HookRequest): Promise<{ readonly headers: Readonly<Record<string, string>>; readonly skip: string }>;
  /** Headers of the first plugin that consents; null: none does. */
  pay(offer: HookOffer): Promise<Readonly<Record<string, string>> | null>;
  response(url: string, response: HttpResponse): Promise<HttpResponse>;
  parses(mediaType: string): boolean;
  parse(url: string, mediaType: string, body: Uint8Array): Promise<HookParsed>;
  /** `droppedBy`: the plugin that does not want it published; empty: all want it. */
  page(page: Page, response: HttpResponse): Promise<{ readonly page: Page | null; readonly droppedBy: string }>;
  readonly uses: readonly Readonly<HookUse>[];
}

interface UsedPlugin {
  readonly use: HookUse;
  readonly plugin: NamedHooks;
}

/** A question about each link. */
export type LinkHooks = Pick<Hooks, 'normalize' | 'refuses' | 'priority'>;

export function createHooks(plugins: readonly NamedHooks[]): Hooks {
  const uses: HookUse[] = [];
  /** The hooks of one name, each with its plugin and its figures. */
  const those = (hook: HookName): UsedPlugin[] =>
    plugins.flatMap((plugin) => {
      if (plugin[hook] === undefined) return [];
      const use: HookUse = { plugin: plugin.name, hook, calls: 0, seconds: 0, faults: 0 };
      uses.push(use);
      return [{ use, plugin }];
    });

  const links = linkHooks(those('urlFilter'), those('normalize'), those('priority'));
  const requests = those('request');
  const payers = those('pay');
  const responses = those('response');
  const parsers = those('parse');
  const pages = those('page');
  const parserOf = (mediaType: string) => parsers.find(({ plugin }) => Object.hasOwn(plugin.parse!, mediaType));

  return {
    uses,
    ...links,
    async request(request) {
      let headers: Readonly<Record<string, string>> = {};
      for (const { use, plugin } of requests) {
        const said = (await soon(use, () => plugin.request!(request))) ?? {};
        if (typeof said.skip === 'string' && said.skip !== '') {
          return { headers, skip: `plugin ${plugin.name}: ${said.skip}` };
        }
        const { headers: more = {} } = said;
        headers = { ...headers, ...checked(use, () => checkedHeaders(more)) };
      }
      return { headers, skip: '' };
    },
    async pay(offer) {
      for (const { use, plugin } of payers) {
        const said = await soon(use, () => plugin.pay!(offer));
        if (said) return checked(use, () => checkedHeaders(said.headers ?? {}));
      }
      return null;
    },
    async response(url, response) {
      let read = response;
      for (const { use, plugin } of responses) {
        const given = hookResponse(url, read);
        const said = await soon(use, () => plugin.response!(given));
        if (said) read = checked(use, () => withHookResponse(read, said));
      }
      return read;
    },
    parses: (mediaType) => parserOf(mediaType) !== undefined,
    async parse(url, mediaType, body) {
      const { use, plugin } = parserOf(mediaType)!;
      const said = await soon(use, () => plugin.parse![mediaType]!({ url, mediaType, body }));
      return checked(use, () => checkedDocument(said));
    },
    async page(page, response) {
      let read = page;
      for (const { use, plugin } of pages) {
        const before = read;
        const said = await soon(use, () => plugin.page!(before, hookResponse(page.url, response)));
        if (said === null) return { page: null, droppedBy: plugin.name };
        // A plugin may not change what names the page, since its partition and its history depend on it.
        if (said) read = { ...before, ...said, url: page.url, hostKey: page.hostKey };
      }
      return { page: read, droppedBy: '' };
    },
  };
}

/** The questions about each link, which are answered at once. */
function linkHooks(
  filters: readonly UsedPlugin[],
  normalizers: readonly UsedPlugin[],
  ranks: readonly UsedPlugin[],
): LinkHooks {
  return {
    refuses(found) {
      for (const { use, plugin } of filters) if (now(use, () => plugin.urlFilter!(found)) === false) return plugin.name;
      return null;
    },
    normalize(url) {
      let read: string | null = url;
      for (const { use, plugin } of normalizers) {
        const before: string = read;
        read = now(use, () => textOrNull(plugin.normalize!(before)));
        if (read === null) return null;
      }
      return read;
    },
    priority(found) {
      for (const { use, plugin } of ranks) {
        const said = now(use, () => plugin.priority!(found)) ?? -1;
        if (said !== -1) return checked(use, () => checkedQueue(said));
      }
      return -1;
    },
  };
}

function failed(use: HookUse, reason: string, cause?: unknown) {
  use.faults += 1;
  return new HookFailed(`plugin ${use.plugin}, ${use.hook}: ${reason}`, { cause });
}

function now<T>(use: HookUse, call: () => T): T {
  const startMs = performance.now();
  use.calls += 1;
  try {
    return call();
  } catch (error) {
    throw failed(use, reasonOf(error), error);
  } finally {
    use.seconds += (performance.now() - startMs) / 1000;
  }
}

/** Checks the return value of a hook; this is not counted as a call. */
function checked<T>(use: HookUse, look: () => T): T {
  try {
    return look();
  } catch (error) {
    throw failed(use, reasonOf(error), error);
  }
}

async function soon<T>(use: HookUse, call: () => T | Promise<T>): Promise<T> {
  const startMs = performance.now();
  use.calls += 1;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const says = `not done after ${pluginLimits.hookMs / 1000} s`;
    timer = setTimeout(() => reject(new Error(says)), pluginLimits.hookMs);
  });
  try {
    return await Promise.race([call(), late]);
  } catch (error) {
    throw failed(use, reasonOf(error), error);
  } finally {
    clearTimeout(timer);
    use.seconds += (performance.now() - startMs) / 1000;
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function textOrNull(value: unknown): string | null {
  if (value === null || typeof value === 'string') return value;
  throw new Error(`returned ${typeof value}; it must return a URL or null`);
}

function checkedQueue(said: number): number {
  if (Number.isInteger(said) && said >= 0 && said < frontQueueCount) return said;
  throw new Error(
    `returned ${String(said)}; it must return a front queue from 0 to ${frontQueueCount - 1}, or nothing`,
  );
}

function checkedHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const checked: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    // RFC 9110 §5.1 and §5.5: a token, and text without line ends.
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) throw new Error(`${JSON.stringify(name)} is not a header name`);
    if (typeof value !== 'string' || /[\0\r\n]/.test(value))
      throw new Error(`header ${name} must have a string value without line breaks`);
    if (/^(?:host|connection|content-length|transfer-encoding)$/i.test(name))
      throw new Error(`header ${name} is set by the crawler and cannot be changed`);
    checked[name.toLowerCase()] = value;
  }
  return checked;
}

function checkedDocument(said: HookParsed): HookParsed {
  if (typeof said !== 'object' || said === null) throw new Error('returned nothing; it must return { text, links, … }');
  for (const key of ['title', 'text', 'description'] as const) {
    if (said[key] !== undefined && typeof said[key] !== 'string') throw new Error(`${key} is not a string`);
  }
  const isList = (value: unknown) => Array.isArray(value) && value.every((one) => typeof one === 'string');
  if (said.links !== undefined && !isList(said.links)) throw new Error('links is not a list of strings');
  for (const [name, values] of Object.entries(said.fields ?? {})) {
    if (!isList(values)) throw new Error(`fields.${name} is not a list of strings`);
  }
  return said;
}

/**
 * The hooks for links without a page, such as a sitemap's. If a hook throws, the link is kept, and the hook is called
 * again when the URL is fetched.
 */
export function patientHooks({ normalize, refuses, priority }: Hooks): LinkHooks {
  const orElse = <T>(call: () => T, otherwise: T): T => {
    try {
      return call();
    } catch {
      return otherwise;
    }
  };
  return {
    normalize: (url) => orElse(() => normalize(url), url),
    refuses: (found) => orElse(() => refuses(found), null),
    priority: (found) => orElse(() => priority(found), -1),
  };
}
