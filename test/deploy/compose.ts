/** docker-compose.yml as Compose reads it: merged, with variables filled in. */
import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';

export interface ComposeService {
  readonly image: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly profiles?: readonly string[];
  readonly ports?: readonly string[];
  readonly healthcheck?: { readonly test?: readonly string[]; readonly disable?: boolean };
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
}

/** Throws where a variable is demanded (`${NAME:?..}`) and not given. */
export async function readCompose(
  variables: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, ComposeService>>> {
  const text = await readFile(new URL('../../docker-compose.yml', import.meta.url), 'utf8');
  const filled = text.replace(/\$\{(\w+)(?::-([^}]*)|:\?([^}]*))?\}/g, (_, name: string, otherwise, demand) => {
    const value = variables[name] ?? otherwise;
    if (value === undefined) throw new Error(`${name}: ${demand ?? 'not given'}`);
    return value;
  });
  return (parse(filled, { merge: true }) as { readonly services: Record<string, ComposeService> }).services;
}

/** The services that run a role of a crawl, by name. */
export function rolesOf(
  services: Readonly<Record<string, ComposeService>>,
): readonly (readonly [string, ComposeService])[] {
  return Object.entries(services).filter(([, { command }]) => command !== undefined);
}
