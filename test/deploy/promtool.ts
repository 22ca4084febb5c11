/**
 * Prometheus's own promtool, which runs rules over series as a server would. Debian's where apt has it, which is an old one
 * (2.42): rules that it takes are taken by every later one. Elsewhere, and for `CRAWLSTREAM_TEST_PROMTOOL=newest`, the newest,
 * built from its module in three minutes of the processor, without the discovery of clouds, which is most of its code.
 */
import { execFile, execFileSync } from 'node:child_process';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { debianPackage } from '../../lab/bench/content/debian-package.ts';
import { fetchOnce } from '../../lab/kafka/components.ts';
import { type GoProgram, go, goProgram } from '../go/program.ts';

const run = promisify(execFile);
/** Prometheus 3.12. */
const version = 'v0.312.0';

const newest = goProgram({ name: 'promtool', version, what: 'promtool' }, async (into) => {
  const downloaded = await go(['mod', 'download', '-json', `github.com/prometheus/prometheus@${version}`], {}, into);
  const { Dir: folder } = JSON.parse(downloaded) as { readonly Dir: string };
  const args = ['build', '-tags', 'remove_all_sd', '-trimpath', '-ldflags=-s', '-o', join(into, 'promtool')];
  // The module's workspace names modules that are not in it.
  await go([...args, './cmd/promtool'], { GOWORK: 'off', CGO_ENABLED: '0' }, folder);
});

/** Debian's; undefined: it can't be had here. */
async function packaged(): Promise<string | undefined> {
  try {
    const folder = await fetchOnce('promtool-debian', async (into) => {
      // The lists of a fresh machine are empty.
      if (process.env['CI'] && process.getuid?.() === 0) execFileSync('apt-get', ['update', '-q'], { stdio: 'ignore' });
      await copyFile(join(debianPackage('prometheus'), 'usr/bin/promtool'), join(into, 'promtool'));
    });
    return join(folder, 'promtool');
  } catch {
    return undefined;
  }
}

export const promtool: GoProgram =
  process.env['CRAWLSTREAM_TEST_PROMTOOL'] === 'newest'
    ? newest
    : {
        file: async () => (await packaged()) ?? newest.file(),
        skipReason: async () => ((await packaged()) === undefined ? newest.skipReason() : undefined),
      };

/** What promtool finds wrong, in its words; empty: nothing. */
export async function tested(folder: string, ...files: readonly string[]): Promise<string> {
  try {
    // Each test makes a store of its own: collecting them often takes a fifth of the processor's time.
    const env = { ...process.env, GOGC: '600' };
    await run(await promtool.file(), ['test', 'rules', ...files], { cwd: folder, env });
    return '';
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { readonly stdout?: string; readonly stderr?: string };
    return `${stdout}${stderr}` || String(error);
  }
}
