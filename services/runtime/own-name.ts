/** Finds the name under which this command was called, so that a printed hint can be pasted. */
import { basename } from 'node:path';

/**
 * `npm run -s crawlstream --` in a checkout, `npx crawlstream` in a project, `crawlstream` where it is installed, else
 * the path of its file.
 */
export function ownName(
  env: Readonly<Record<string, string | undefined>> = process.env,
  [node = 'node', script = 'crawlstream']: readonly string[] = process.argv,
): string {
  const { npm_lifecycle_event: npmScript, npm_command: npmCommand } = env;
  if (npmScript === 'crawlstream' || npmScript === 'start') return 'npm run -s crawlstream --';
  if (npmCommand === 'exec') return 'npx crawlstream';
  return /\.[cm]?[jt]s$/.test(script) ? `${basename(node)} ${script}` : 'crawlstream';
}
