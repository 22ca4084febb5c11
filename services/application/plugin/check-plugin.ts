/** Checks the export of a plugin file: every mistake is reported in one sentence that names the field. */
import { CrawlstreamError, invalid } from '../../../topology/errors.ts';
import { pluginLimits } from '../../fetcher/hooks/plugin-limits.ts';
import { checkOptions, type Field, isFunction, isObject } from '../../runtime/check-options.ts';
import type { Access } from '../../runtime/http/access.ts';
import type { CrawlRoute } from '../extension/crawl-part.ts';
import type { GroupedCommands } from '../extension/extension.ts';
import type { Plugin, PluginFieldFlag, PluginPolicyField, PluginProcessor } from './plugin.ts';
import { schemaOf } from './policy-fields-of.ts';

const { nameCharsMax } = pluginLimits;
const isName = (value: unknown) =>
  typeof value === 'string' &&
  /^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(value) &&
  value.length <= nameCharsMax &&
  !(value in {});
const name: Field = {
  wants: `a name of at most ${nameCharsMax} letters, digits, dots, dashes and underscores, but not constructor or another name that every object has`,
  fits: isName,
  needed: true,
};
const hook: Field = { wants: 'a function', fits: isFunction };

const exampleOfField =
  "as in { shortest: { schema: { type: 'integer', minimum: 0 }, about: 'characters of a title' } }";

const pluginFields: Readonly<Record<keyof Plugin, Field>> = {
  name,
  version: { wants: 'a text, as in 1.2.0', fits: (value) => typeof value === 'string' },
  holds: { wants: "'nothing': absent, nobody knows what its hooks keep", fits: (value) => value === 'nothing' },
  urlFilter: hook,
  normalize: hook,
  priority: hook,
  request: hook,
  pay: hook,
  response: hook,
  parse: {
    wants: "functions by media type, as in { 'application/epub+zip': (document) => … }",
    fits: (value) =>
      isObject(value) &&
      Object.entries(value as object).every(
        ([type, read]) => /^[^\s/;A-Z]+\/[^\s/;A-Z]+$/.test(type) && isFunction(read),
      ),
  },
  page: hook,
  processors: { wants: 'a list of processors', fits: Array.isArray },
  routes: {
    wants: "a list of endpoints, as in [{ method: 'GET', path: '/titles', handle: () => ({ body: {} }) }]",
    fits: (value) => Array.isArray(value) && value.every(isRoute),
  },
  commands: {
    wants: "a list of commands, as in [{ names: ['titles'], group: 'Mine:', load: async () => (program) => {} }]",
    fits: (value) => Array.isArray(value) && value.every(isCommands),
  },
  onPolicy: hook,
  policyFields: { wants: `fields of policies by name, ${exampleOfField}`, fits: isObject },
};

const methods = ['GET', 'POST', 'PUT', 'DELETE'];
const accesses = [undefined, 'public', 'metrics', 'read', 'control', 'open'];

function isRoute(given: unknown): boolean {
  const { method, path, access, takes, handle } = (given ?? {}) as Partial<Record<keyof CrawlRoute, unknown>>;
  const isNamed = methods.includes(method as string) && typeof path === 'string' && path.startsWith('/');
  return isNamed && accesses.includes(access as Access) && (takes ?? 'bytes') === 'bytes' && isFunction(handle);
}

function isCommands(given: unknown): boolean {
  const { names, group, load } = (given ?? {}) as Partial<Record<keyof GroupedCommands, unknown>>;
  return (
    Array.isArray(names) && names.length > 0 && names.every(isName) && typeof group === 'string' && isFunction(load)
  );
}

const processorFields: Readonly<Record<keyof PluginProcessor, Field>> = {
  name,
  does: {
    wants: 'a sentence that says what it does',
    fits: (value) => typeof value === 'string' && value !== '',
    needed: true,
  },
  reads: {
    wants: "a list of topics among pages, results, duplicates and responses, as in ['pages']",
    fits: (value) =>
      Array.isArray(value) &&
      value.length > 0 &&
      value.every((topic) => ['pages', 'results', 'duplicates', 'responses'].includes(topic)),
  },
  options: {
    wants: "options by name, as in { table: { about: 'where rows go', default: 'pages' } }",
    fits: (value) => isObject(value) && Object.values(value as object).every((one) => typeof one?.about === 'string'),
  },
  whenFailed: { wants: 'deadLetter or stop', fits: (value) => value === 'deadLetter' || value === 'stop' },
  holds: {
    wants: "'nothing', or 'pages' with a function forget in what open() returns",
    fits: (value) => value === 'nothing' || value === 'pages',
  },
  retriesMs: {
    wants: 'a list of waits in ms, as in [1000, 10000]',
    fits: (value) => Array.isArray(value) && value.every((ms) => Number.isInteger(ms) && ms >= 0),
  },
  batchRecords: { wants: 'a whole number, at least 1', fits: (value) => Number.isInteger(value) && Number(value) >= 1 },
  open: { wants: 'a function that returns { handle }', fits: isFunction, needed: true },
};

/** `file`: in errors. `ours`: names that are taken. Throws INVALID_ARGUMENT. */
export function checkPlugin(given: unknown, file = 'plugin', ours: readonly string[] = []): Plugin {
  checkOptions(file, given, pluginFields);
  const plugin = given as Plugin;
  checkRights(file, plugin.routes);
  for (const [field, declared] of Object.entries(plugin.policyFields ?? {}))
    checkPolicyField(`${file}: policyFields.${field}`, field, declared);
  const names = new Set(ours);
  for (const [index, processor] of (plugin.processors ?? []).entries()) {
    checkOptions(`${file}: processors[${index}]`, processor, processorFields);
    if (processor.holds === 'pages' && processor.reads?.includes('pages') === false) {
      throw new CrawlstreamError(
        'INVALID_ARGUMENT',
        `${file}: processors[${index}].holds: this needs the topic pages, which reports deleted pages; add pages to reads`,
      );
    }
    if (names.has(processor.name)) {
      const why = ours.includes(processor.name) ? 'is the name of a built-in consumer' : 'is used twice';
      throw new CrawlstreamError(
        'INVALID_ARGUMENT',
        `${file}: processors[${index}].name: ${processor.name} ${why}; choose another name`,
      );
    }
    names.add(processor.name);
  }
  return plugin;
}

/** A web page elsewhere may lead a browser to a read, also by a form. */
function checkRights(file: string, routes: Plugin['routes'] = []): void {
  for (const [index, { method, access = 'control' }] of routes.entries()) {
    if (method === 'GET' || access === 'control' || access === 'open') continue;
    throw invalid(
      `${file}: routes[${index}].access: ${access} is for GET, and this is ${method}: leave it out, or give control or open`,
    );
  }
}

const sentence = (wants: string): Field => ({
  wants,
  fits: (value) => typeof value === 'string' && value !== '',
  needed: true,
});

const policyFieldFields: Readonly<Record<keyof PluginPolicyField, Field>> = {
  schema: { wants: "JSON Schema, as in { type: 'integer', minimum: 0 }", fits: isObject, needed: true },
  about: sentence('a sentence that says what the field means'),
  initial: { wants: 'a value of the schema', fits: () => true },
  flag: {
    wants: "an option of crawl, as in { name: 'shortestTitle', value: '<n>', about: '…', reason: '…' }",
    fits: isObject,
  },
};

const flagFields: Readonly<Record<keyof PluginFieldFlag, Field>> = {
  name: {
    wants:
      "the option's name, as in shortestTitle for --shortest-title; not help or config, and none that begins with no",
    fits: (value) => typeof value === 'string' && /^(?!no[A-Z]|(?:help|config)$)[a-z][A-Za-z0-9]*$/.test(value),
    needed: true,
  },
  value: {
    wants: 'a word in angle brackets, as in <n>',
    fits: (value) => typeof value === 'string' && /^<[^<>]+>$/.test(value),
  },
  about: sentence('a sentence for help'),
  reason: sentence('the reason of the default'),
};

function checkPolicyField(at: string, name: string, given: PluginPolicyField): void {
  if (!isName(name)) throw invalid(`${at}: give ${pluginFields.name.wants} instead`);
  checkOptions(at, given, policyFieldFields);
  if (given.flag !== undefined) checkOptions(`${at}.flag`, given.flag, flagFields);
  let schema: ReturnType<typeof schemaOf>;
  try {
    schema = schemaOf(given.schema);
  } catch (error) {
    throw invalid(`${at}.schema: ${(error as Error).message}: give ${policyFieldFields.schema.wants}`);
  }
  const { error } = schema.safeParse(given.initial);
  if (given.initial !== undefined && error !== undefined)
    throw invalid(`${at}.initial: ${error.issues[0]!.message}: give a value that its schema accepts`);
}
