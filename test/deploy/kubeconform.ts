/**
 * kubeconform, built once by Go, and its schemas: those of Kubernetes come with PyPI's kubernetes-validate, and refer to
 * their common file by an address of the web, where nothing is; those of KEDA and the Prometheus operator are made from their definitions.
 */
import { execFile } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parse, stringify } from 'yaml';
import { cacheFolder, fetchOnce } from '../../lab/kafka/components.ts';
import { go, goProgram } from '../go/program.ts';
import { definitions, kubernetesVersion, type Manifest, prepareTools, pythonFolder } from './tools.ts';

const version = 'v0.8.0';

export const kubeconform = goProgram({ name: 'kubeconform', version, what: 'kubeconform' }, (into) =>
  go(['install', `github.com/yannh/kubeconform/cmd/kubeconform@${version}`], { GOBIN: into }, into),
);

/** Returns what kubeconform prints about manifests that are not valid. Empty: all are. `folder`: for their file. */
export async function refusedByKubeconform(manifests: readonly Manifest[], folder: string): Promise<string> {
  const file = join(folder, 'manifests.yaml');
  await writeFile(file, manifests.map((one) => stringify(one)).join('---\n'));
  const place = join(await schemas(), '{{.ResourceKind}}{{.KindSuffix}}.json');
  const args = ['-strict', '-output', 'text', '-schema-location', place, file];
  try {
    await promisify(execFile)(await kubeconform.file(), args);
    return '';
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { readonly stdout?: string; readonly stderr?: string };
    return stdout || stderr || String(error);
  }
}

async function schemas(): Promise<string> {
  await prepareTools();
  return fetchOnce(`kubeconform-schemas-${kubernetesVersion}`, async (into) => {
    const from = join(
      ...[cacheFolder, pythonFolder, 'kubernetes_validate/kubernetes-json-schema'],
      `v${kubernetesVersion}.0-local-strict`,
    );
    for (const name of await readdir(from)) {
      const text = await readFile(join(from, name), 'utf8');
      const { $id: _, ...schema } = JSON.parse(text.replaceAll('"/api/_definitions.json#', '"_definitions.json#'));
      await writeFile(join(into, name), JSON.stringify(schema));
    }
    for (const file of await definitions()) {
      const { group, names, versions } = parse(await readFile(file, 'utf8')).spec;
      const [{ name, schema }] = versions;
      const own = `${names.kind.toLowerCase()}-${group.split('.')[0]}-${name}.json`;
      await writeFile(join(into, own), JSON.stringify(schema.openAPIV3Schema));
    }
  });
}
