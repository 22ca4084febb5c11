/** As much of a Kubernetes API server as Helm's `lookup` asks: its version, what kinds there are, and some objects. */
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { temporaryFolder } from '../services/runtime/store/temporary-folder.ts';

const kinds = {
  v1: [
    ['configmaps', 'ConfigMap'],
    ['services', 'Service'],
    ['serviceaccounts', 'ServiceAccount'],
    ['pods', 'Pod'],
  ],
  'apps/v1': [
    ['statefulsets', 'StatefulSet'],
    ['deployments', 'Deployment'],
  ],
  'batch/v1': [
    ['jobs', 'Job'],
    ['cronjobs', 'CronJob'],
  ],
  'policy/v1': [['poddisruptionbudgets', 'PodDisruptionBudget']],
  'networking.k8s.io/v1': [['networkpolicies', 'NetworkPolicy']],
} as const;

export interface KubernetesServer {
  readonly kubeconfig: string;
  stop(): Promise<void>;
}

/** `objects`: by path. */
export async function kubernetesServer(objects: Readonly<Record<string, object>>): Promise<KubernetesServer> {
  const groups = Object.keys(kinds).filter((one) => one.includes('/'));
  const answers: Record<string, object> = {
    '/version': { major: '1', minor: '31', gitVersion: 'v1.31.0' },
    '/api': { kind: 'APIVersions', versions: ['v1'] },
    '/apis': {
      kind: 'APIGroupList',
      apiVersion: 'v1',
      groups: groups.map((groupVersion) => {
        const [name, version] = groupVersion.split('/');
        const preferred = { groupVersion, version };
        return { name, versions: [preferred], preferredVersion: preferred };
      }),
    },
    ...Object.fromEntries(
      Object.entries(kinds).map(([groupVersion, resources]) => [
        groupVersion === 'v1' ? '/api/v1' : `/apis/${groupVersion}`,
        {
          kind: 'APIResourceList',
          apiVersion: 'v1',
          groupVersion,
          resources: resources.map(([name, kind]) => ({
            name,
            kind,
            singularName: '',
            namespaced: true,
            verbs: ['get', 'list'],
          })),
        },
      ]),
    ),
    ...objects,
  };
  const server = createServer((request, response) => {
    const found = answers[new URL(request.url!, 'http://127.0.0.1').pathname];
    const missing = { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'NotFound', code: 404 };
    response.writeHead(found === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(found ?? missing));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const kubeconfig = join(temporaryFolder(), 'kubeconfig');
  const at = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  writeFileSync(
    kubeconfig,
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'c', cluster: { server: at } }],
      users: [{ name: 'u', user: {} }],
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
      'current-context': 'x',
    }),
  );
  return {
    kubeconfig,
    stop: () => new Promise((resolve) => void server.close(() => resolve())),
  };
}
