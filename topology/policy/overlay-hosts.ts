/** A host's settings after all matching overlays. Results are remembered. */

import type { CompilePatterns } from '../url/patterns.ts';
import { bounded } from './bounded.ts';
import { type HostSettings, type OverlayConfig, settingsOfHosts } from './overlay-config.ts';
import { compileMatching, type Matching } from './overlay-matching.ts';
import { withHostDelays } from './parallel.ts';
import type { PolicyConfig } from './policy.ts';
import { compileWindows, type OpenAt } from './windows.ts';

/** Beside the settings of the policy, what only overlays set. */
export interface OverlaidHost extends HostSettings {
  readonly leases?: number | undefined;
  readonly budget?: number | undefined;
  /** null: as the policy's windows say. */
  readonly openAt: OpenAt | null;
}

/** Hosts with remembered settings, and combinations of overlays. */
const hostsKept = 65_536;
const combinationsKept = 4_096;

const ofHosts: ReadonlySet<string> = new Set(settingsOfHosts);

export function overlayHosts(
  config: PolicyConfig,
  overlays: readonly OverlayConfig[],
  matching: Matching,
): (hostKey: string) => OverlaidHost {
  const combinations = bounded<OverlaidHost>(combinationsKept);
  const hosts = bounded<OverlaidHost>(hostsKept);
  const settings = (numbers: readonly number[]): OverlaidHost => {
    const { window, ...set } = Object.assign({}, ...numbers.map((number) => overlays[number]!.set));
    const openAt = window === undefined ? null : compileWindows(window === null ? [] : [{ hosts: ['*'], ...window }]);
    const own = Object.entries(set).filter(([name]) => ofHosts.has(name));
    return { ...config, budget: undefined, ...Object.fromEntries(own), openAt };
  };
  return (hostKey) =>
    hosts(hostKey, () => {
      const numbers = matching.ofHost(hostKey);
      return combinations(numbers.join(' '), () => settings(numbers));
    });
}

/** Settings of whole hosts ignore patterns. */
const noPatterns: CompilePatterns = () => ({ length: 0, first: () => null, each() {} });

/** The same for callers without lists, which filters may need. */
export function hostSettingsOf(config: PolicyConfig): (hostKey: string) => HostSettings {
  const { overlays = [], parallel = [] } = config;
  const settingsOf =
    overlays.length === 0 ? () => config : overlayHosts(config, overlays, compileMatching(overlays, noPatterns));
  return withHostDelays(parallel, settingsOf);
}
