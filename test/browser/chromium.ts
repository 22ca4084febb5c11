/**
 * A real chromium for tests: the one in PATH; in CI, as root on Debian, it is installed. Elsewhere a test says that it
 * was skipped, and why.
 */
import { execFileSync } from 'node:child_process';
import { findChromium } from '../../services/extras/render/browser.ts';

export const noBrowser = 'no chromium: install one to run this (Debian: apt-get install chromium)';

/** Undefined: there is none, and this is no machine to install one on. */
export function chromiumHere(): string | undefined {
  try {
    return findChromium();
  } catch {
    if (process.env['CI'] === undefined || process.getuid?.() !== 0) return undefined;
  }
  const options = { stdio: 'ignore', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } } as const;
  execFileSync('apt-get', ['update', '-q'], options);
  execFileSync('apt-get', ['install', '-y', '-q', '--no-install-recommends', 'chromium'], options);
  return findChromium();
}
