/** The pages of checks: those that a check declares, and those that follow from its keys. */
import { type Check, hrefOf, linksTo, type Page, type Reply } from './check/check.ts';

const robotsDefault: Reply = { type: 'text/plain', body: 'User-agent: *\nDisallow:\n' };

export function pageOf(check: Check, key: string): Page {
  const { pages, want, never, control } = check;
  if (pages[key] !== undefined) return pages[key];
  for (const [prefix, page] of Object.entries(pages))
    if (prefix.endsWith('*') && key.startsWith(prefix.slice(0, -1))) return page;
  if (key.endsWith('/robots.txt')) return robotsDefault;
  if (key === '/') return linksTo(...[...want.map((one) => [one].flat()[0]!), ...never, control].map(hrefOf));
  if ([...want.flat(), ...never, control].includes(key))
    return `<!doctype html><title>${check.id}</title><p>A page of ${check.id}.</p>`;
  return { status: 404, body: '<!doctype html><title>Not found</title>' };
}

export interface NamedHosts {
  readonly port: number;
  /** The host of a label, as URLs name it. */
  readonly nameOf: (label: string) => string;
}

/** Puts the names of a run into a text. */
export function fill(text: string, { slug }: Check, { port, nameOf }: NamedHosts): string {
  return text.replace(
    /(?:(b|c)-)?\{name\}|\{(host|b|c|port|slug)\}/gi,
    (_all, letter: string | undefined, word: string) => {
      if (word === 'port') return String(port);
      if (word === 'slug') return slug;
      if (word === undefined) return nameOf(letter === undefined ? slug : `${letter}-${slug}`);
      return `http://${nameOf(word === 'host' ? slug : `${word}-${slug}`)}:${port}`;
    },
  );
}

export function filled(page: string | Reply, check: Check, hosts: NamedHosts): Reply {
  if (typeof page === 'string') return { body: fill(page, check, hosts) };
  const { body, raw, headers } = page;
  return {
    ...page,
    ...(typeof body === 'string' ? { body: fill(body, check, hosts) } : {}),
    ...(typeof raw === 'string' ? { raw: fill(raw, check, hosts) } : {}),
    ...(headers === undefined
      ? {}
      : { headers: headers.map(([name, value]) => [name, fill(value, check, hosts)] as const) }),
  };
}
