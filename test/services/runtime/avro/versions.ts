/** Every released version of each topic's schema, oldest first: `versions/<topic>.<n>.avsc`. */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export function fileOf(topic: string, version: number): string {
  return fileURLToPath(new URL(`./versions/${topic}.${version}.avsc`, import.meta.url));
}

export function keptVersions(topic: string): object[] {
  const kept: object[] = [];
  for (let version = 1; existsSync(fileOf(topic, version)); version++) {
    kept.push(JSON.parse(readFileSync(fileOf(topic, version), 'utf8')) as object);
  }
  return kept;
}

/** Docs are for people: a schema with other docs has the same fingerprint, and so the same id in a registry. */
export function withoutDocs(schema: object): object {
  return JSON.parse(JSON.stringify(schema, (key, value) => (key === 'doc' ? undefined : value))) as object;
}
