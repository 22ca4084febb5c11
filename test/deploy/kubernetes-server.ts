/**
 * As much of a Kubernetes API server as Helm asks of one: its version, its kinds, and objects, which it keeps. Nothing runs
 * them; a pod has ended well as soon as it is made. A patch that merges lists is refused.
 */
import { writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { temporaryFolder } from '../services/runtime/store/temporary-folder.ts';
import { isProtobuf, releaseSecret } from './release-secret.ts';
import type { Manifest } from './tools.ts';

const kinds = {
  v1: [
    ['namespaces', 'Namespace'],
    ['configmaps', 'ConfigMap'],
    ['secrets', 'Secret'],
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

type GroupVersion = keyof typeof kinds;

export interface KubernetesServer {
  readonly kubeconfig: string;
  /** What it keeps. */
  objects(): Manifest[];
  stop(): Promise<void>;
}

const baseOf = (groupVersion: string) => (groupVersion === 'v1' ? '/api/v1' : `/apis/${groupVersion}`);

/** `objects`: those that are there, by path. */
export async function kubernetesServer(objects: Readonly<Record<string, object>> = {}): Promise<KubernetesServer> {
  const discovery = discoveryOf(Object.keys(kinds) as GroupVersion[]);
  const kept = new Map(Object.entries(objects)) as Map<string, Manifest>;
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url!, 'http://127.0.0.1');
    const send = (code: number, body: object) =>
      response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    // Nothing changes any more: who watches waits until they go.
    if (searchParams.get('watch'))
      return response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders();
    if (pathname in discovery) return send(200, discovery[pathname]!);
    try {
      const { code, body } = await answer(kept, request, pathname, searchParams);
      return send(code, body);
    } catch (error) {
      return send(422, failure(422, 'Invalid', `${request.method} ${pathname}: ${(error as Error).message}`));
    }
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
    objects: () => [...kept.values()],
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Its version, its kinds, and that each of them takes `fieldValidation`, without which Helm would check fields itself. */
function discoveryOf(groupVersions: readonly GroupVersion[]): Record<string, object> {
  const found: Record<string, object> = {
    '/version': { major: '1', minor: '31', gitVersion: 'v1.31.0' },
    '/api': { kind: 'APIVersions', versions: ['v1'] },
    '/apis': {
      kind: 'APIGroupList',
      apiVersion: 'v1',
      groups: groupVersions
        .filter((one) => one.includes('/'))
        .map((groupVersion) => {
          const [name, version] = groupVersion.split('/');
          const preferred = { groupVersion, version };
          return { name, versions: [preferred], preferredVersion: preferred };
        }),
    },
    '/openapi/v3': {
      paths: Object.fromEntries(
        groupVersions.map((one) => [baseOf(one).slice(1), { serverRelativeURL: `/openapi/v3${baseOf(one)}` }]),
      ),
    },
  };
  for (const groupVersion of groupVersions) {
    const [version, group = ''] = groupVersion.split('/').reverse();
    const resources = kinds[groupVersion].map(([name, kind]) => ({
      name,
      kind,
      singularName: '',
      namespaced: kind !== 'Namespace',
      verbs: ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'],
    }));
    found[baseOf(groupVersion)] = { kind: 'APIResourceList', apiVersion: 'v1', groupVersion, resources };
    const parameters = [{ name: 'fieldValidation', in: 'query' }];
    const paths = resources.map(({ name, kind }) => [
      `${baseOf(groupVersion)}/${name}/{name}`,
      { patch: { parameters, responses: {}, 'x-kubernetes-group-version-kind': { group, version, kind } } },
    ]);
    found[`/openapi/v3${baseOf(groupVersion)}`] = {
      openapi: '3.0.0',
      info: { title: 'Kubernetes', version: 'v1.31.0' },
      paths: Object.fromEntries(paths),
    };
  }
  return found;
}

interface Answer {
  readonly code: number;
  readonly body: object;
}

const failure = (code: number, reason: string, message: string) => ({
  ...{ kind: 'Status', apiVersion: 'v1', status: 'Failure' },
  ...{ code, reason, message },
});

let lastVersion = 0;

async function answer(
  kept: Map<string, Manifest>,
  request: IncomingMessage,
  path: string,
  query: URLSearchParams,
): Promise<Answer> {
  const found = kept.get(path);
  const missing = { code: 404, body: failure(404, 'NotFound', `${path} not found`) };
  const keep = (at: string, object: Manifest) => {
    const added = { uid: `${++lastVersion}`, creationTimestamp: '2026-01-01T00:00:00Z' };
    const metadata = { ...added, ...object.metadata, resourceVersion: `${++lastVersion}` };
    const made = { ...object, metadata, ...(object.kind === 'Pod' && { status: { phase: 'Succeeded' } }) };
    kept.set(at, made);
    return made;
  };
  const sent = async () => {
    const body = await buffer(request);
    return isProtobuf(body) ? releaseSecret(body) : (JSON.parse(body.toString()) as Manifest);
  };
  if (request.method === 'POST') {
    const object = await sent();
    const at = `${path}/${object.metadata.name}`;
    const [, namespace] = /\/namespaces\/([^/]+)\//.exec(at) ?? [];
    if (namespace !== undefined && !kept.has(`/api/v1/namespaces/${namespace}`))
      return { code: 404, body: failure(404, 'NotFound', `namespaces "${namespace}" not found`) };
    if (kept.has(at)) return { code: 409, body: failure(409, 'AlreadyExists', `${at} already exists`) };
    return { code: 201, body: keep(at, object) };
  }
  if (request.method === 'GET' && isListPath(path)) return { code: 200, body: listOf(kept, path, query) };
  if (found === undefined) return missing;
  if (request.method === 'PUT') return { code: 200, body: keep(path, await sent()) };
  if (request.method === 'PATCH') return { code: 200, body: keep(path, merged(found, await sent()) as Manifest) };
  if (request.method === 'DELETE') {
    kept.delete(path);
    return { code: 200, body: { kind: 'Status', apiVersion: 'v1', status: 'Success' } };
  }
  return { code: 200, body: found };
}

const resources: ReadonlyMap<string, string> = new Map(Object.values(kinds).flat());
const isListPath = (path: string) => resources.has(path.slice(path.lastIndexOf('/') + 1));

/** By labels that are equal, or by the name. */
function listOf(kept: ReadonlyMap<string, Manifest>, path: string, query: URLSearchParams): object {
  const [, name] = /^metadata\.name=(.+)$/.exec(query.get('fieldSelector') ?? '') ?? [];
  const labels = (query.get('labelSelector') ?? '').split(',').filter((one) => one !== '');
  const items = [...kept]
    .filter(([at]) => at.slice(0, at.lastIndexOf('/')) === path)
    .map(([, object]) => object)
    .filter(({ metadata }) => name === undefined || metadata.name === name)
    .filter(({ metadata }) =>
      labels.every((label) => metadata.labels?.[label.split('=')[0]!] === label.slice(label.lastIndexOf('=') + 1)),
    );
  const kind = resources.get(path.slice(path.lastIndexOf('/') + 1))!;
  const apiVersion = path.replace(/^\/apis?\/(.*?)\/(?:namespaces\/.*|[^/]+)$/, '$1');
  return { kind: `${kind}List`, apiVersion, metadata: { resourceVersion: `${lastVersion}` }, items };
}

/** A patch of fields, as JSON Merge Patch has it. A strategic one is the same as long as it has no list. */
function merged(target: unknown, patch: unknown): unknown {
  if (Array.isArray(patch)) throw new Error('the patch has a list, which is not merged here');
  if (patch === null || typeof patch !== 'object') return patch;
  const made: Record<string, unknown> = { ...(target as Record<string, unknown> | undefined) };
  for (const [key, value] of Object.entries(patch)) {
    if (key.startsWith('$')) throw new Error(`the patch has ${key}, which is not followed here`);
    if (value === null) delete made[key];
    else made[key] = merged(made[key], value);
  }
  return made;
}
