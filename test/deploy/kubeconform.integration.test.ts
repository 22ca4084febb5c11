/** The chart and the overlays by kubeconform, which is not ours either, beside the validator of every verification. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '../services/runtime/store/temporary-folder.ts';
import { everything, helm, manifestsOf, required } from './helm.ts';
import { kubeconform, refusedByKubeconform } from './kubeconform.ts';
import { type Manifest, render } from './tools.ts';

const skip = (await helm.skipReason()) ?? (await kubeconform.skipReason()) ?? false;
const deploy = fileURLToPath(new URL('../../deploy/', import.meta.url));

describe('kubeconform', { skip, timeout: 600_000 }, () => {
  const folder = temporaryFolder();
  const refused = (manifests: readonly Manifest[]) => refusedByKubeconform(manifests, folder);

  it('kubeconform accepts the chart, as it comes and with everything on, and every overlay', async () => {
    for (const args of [required, [...required, ...everything]])
      assert.equal(await refused(await manifestsOf('news', args)), '');
    for (const place of ['base', 'overlays/local', 'overlays/production'])
      assert.equal(await refused(await render(`${deploy}${place}`)), '', place);
  });

  it('kubeconform names an ill-typed field, a misspelt one, and one of a custom resource', async () => {
    const manifests = await manifestsOf('news', [...required, ...everything]);
    const ofKind = (kind: string) => structuredClone(manifests.find((one) => one.kind === kind)!);
    const [frontier, fetcher, rule] = [ofKind('StatefulSet'), ofKind('Deployment'), ofKind('PrometheusRule')];
    frontier['spec'].replicas = 'two';
    fetcher['spec'].template.spec.containers[0].imagee = 'x';
    rule['spec'].groups = 'none';
    const said = await refused([frontier, fetcher, rule]);
    for (const pattern of [/StatefulSet[^\n]*replicas/, /Deployment[^\n]*imagee/, /PrometheusRule[^\n]*groups/])
      assert.match(said, pattern);
  });
});
