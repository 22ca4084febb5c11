/** Checks whether there is a browser for `--with render`. */
import { type Finding, ok, warning } from '../../application/extension/finding.ts';
import { findChromium } from './browser.ts';

export function checkBrowser(env: NodeJS.ProcessEnv): Finding {
  try {
    return ok('browser', findChromium(env));
  } catch {
    return warning('browser', 'no chromium in PATH: only --with render needs one', 'sudo apt-get install chromium');
  }
}
