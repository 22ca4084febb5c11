/**
 * What manifests are rendered and validated with: kubectl (or kustomize, built by Go), PyPI's kubernetes-validate, and
 * the definitions that KEDA and the Prometheus operator ship. At pinned versions, fetched once into the cache folder.
 */
import { execFile, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { cacheFolder, fetchOnce } from '../../lab/kafka/components.ts';

const run = promisify(execFile);
const kustomizeModule = 'sigs.k8s.io/kustomize/kustomize/v5@v5.7.1';
/** Modules that hold the custom resource definitions of others, and in which files. */
const definitionFiles: Readonly<Record<string, readonly string[]>> = {
  'github.com/kedacore/keda/v2@v2.21.0': ['scaledobjects', 'triggerauthentications'].map(
    (name) => `config/crd/bases/keda.sh_${name}.yaml`,
  ),
  'github.com/prometheus-operator/prometheus-operator@v0.83.0': [
    'prometheusrules',
    'servicemonitors',
    'podmonitors',
  ].map((name) => `example/prometheus-operator-crd/monitoring.coreos.com_${name}.yaml`),
};
const validator = 'kubernetes-validate==1.37.0';
/** Of the schemas: the manifests name nothing newer than 1.31 has (`unhealthyPodEvictionPolicy`). */
export const kubernetesVersion = '1.31';
export const pythonFolder = 'kubernetes-validate-1.37.0';
const outputMax = 64 * 2 ** 20;

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels?: Record<string, string> };
  // Whatever a kind has: the test reads what it needs.
  // biome-ignore lint/suspicious/noExplicitAny: manifests are data of a hundred shapes
  readonly [field: string]: any;
}

/** Throws where what is needed is not here: nothing about manifests is skipped. */
export async function prepareTools(): Promise<void> {
  await fetchOnce(pythonFolder, (folder) =>
    run('python3', ['-m', 'pip', 'install', '-q', '--disable-pip-version-check', '--target', folder, validator]),
  );
}

/** The manifests of a kustomization. */
export async function render(folder: string): Promise<Manifest[]> {
  const [command, ...args] = await kustomize();
  const { stdout } = await run(command!, [...args, folder], { maxBuffer: outputMax });
  return stdout
    .split(/^---$/m)
    .map((one) => parse(one) as Manifest | null)
    .filter((one) => one !== null);
}

let found: Promise<string[]> | undefined;

function kustomize(): Promise<string[]> {
  found ??= run('kubectl', ['kustomize', '--help']).then(
    () => ['kubectl', 'kustomize'],
    async () => {
      const folder = await fetchOnce('kustomize-5.7.1', (into) =>
        run('go', ['install', kustomizeModule], { env: { ...process.env, GOBIN: into } }),
      );
      return [join(folder, 'kustomize'), 'build'];
    },
  );
  return found;
}

/** The custom resource definitions of KEDA and the Prometheus operator: files of their own modules. */
export async function definitions(): Promise<readonly string[]> {
  const files: string[] = [];
  for (const [name, paths] of Object.entries(definitionFiles)) {
    const { stdout } = await run('go', ['mod', 'download', '-json', name], { cwd: cacheFolder });
    const { Dir } = JSON.parse(stdout) as { readonly Dir: string };
    files.push(...paths.map((path) => join(Dir, path)));
  }
  return files;
}

/** Their JSON schemas, by kind. */
export async function customSchemas(): Promise<Record<string, unknown>> {
  const schemas: Record<string, unknown> = {};
  for (const file of await definitions()) {
    const { spec } = parse(await readFile(file, 'utf8'));
    schemas[spec.names.kind] = spec.versions[0].schema.openAPIV3Schema;
  }
  return schemas;
}

/** What is wrong with each of the manifests, in words: built-in kinds by Kubernetes's schemas, others by those given. */
export async function problemsOf(
  manifests: readonly Manifest[],
  schemas: Record<string, unknown>,
): Promise<readonly string[]> {
  const env = { ...process.env, PYTHONPATH: join(cacheFolder, pythonFolder) };
  const child = spawn('python3', ['-c', program], { env, stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(JSON.stringify({ manifests, schemas, version: kubernetesVersion }));
  return JSON.parse(await text(child.stdout)) as string[];
}

/** Strict: a field that a schema does not name is wrong, too. */
const program = `
import json, sys
import kubernetes_validate, jsonschema

def strict(schema):
    if isinstance(schema, list):
        return [strict(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    made = {name: strict(value) for name, value in schema.items()}
    named = isinstance(made.get('properties'), dict) and made.get('type') == 'object'
    if named and 'additionalProperties' not in made and not made.get('x-kubernetes-preserve-unknown-fields'):
        made['additionalProperties'] = False
    if made.get('x-kubernetes-int-or-string'):
        made.pop('type', None)
    # Go takes a flag anywhere, Python at the beginning.
    if isinstance(made.get('pattern'), str) and made['pattern'].startswith('^(?i)'):
        made['pattern'] = '(?i)^' + made['pattern'][5:]
    return made

asked = json.load(sys.stdin)
problems = []
for manifest in asked['manifests']:
    name = manifest['kind'] + ' ' + manifest['metadata']['name']
    try:
        schema = asked['schemas'].get(manifest['kind'])
        if schema is None:
            kubernetes_validate.validate(manifest, asked['version'], strict=True)
        else:
            schema = strict(schema)
            schema['properties']['metadata'] = {'type': 'object'}
            jsonschema.validate(manifest, schema)
    except (kubernetes_validate.ValidationError, jsonschema.ValidationError, kubernetes_validate.SchemaNotFoundError) as error:
        problems.append(name + ': ' + getattr(error, 'message', str(error)))
json.dump(problems, sys.stdout)
`;
