/** A container of rendered manifests as a command on this machine: its arguments and variables as the kubelet would put them in. */
import assert from 'node:assert/strict';
import type { Manifest } from './tools.ts';

export interface RenderedCommand {
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

/** Places that a pod alone has: its volume, and the port that all its addresses listen on. */
const placesOf = (folder: string): Readonly<Record<string, string>> => ({
  '/data': `${folder}/data`,
  '0.0.0.0:9464': '127.0.0.1:0',
});

interface Variable {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: {
    readonly fieldRef?: { readonly fieldPath: string };
    readonly secretKeyRef?: { readonly optional?: boolean };
  };
}

/** `manifests`: where its ConfigMaps are. `folder`: where its volume is. */
export function renderedCommand(workload: Manifest, manifests: readonly Manifest[], folder: string): RenderedCommand {
  const [container] = (workload.kind === 'Pod' ? workload['spec'] : workload['spec'].template.spec).containers;
  const variables: Record<string, string> = {};
  for (const { configMapRef } of container.envFrom ?? []) {
    const map = manifests.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === configMapRef.name);
    assert.ok(map, `there is no ConfigMap ${configMapRef.name}`);
    Object.assign(variables, map['data']);
  }
  for (const { name, value, valueFrom } of (container.env ?? []) as readonly Variable[]) {
    if (valueFrom?.secretKeyRef?.optional) continue;
    assert.ok(value !== undefined || valueFrom?.fieldRef?.fieldPath === 'status.podIP', `${name} is from elsewhere`);
    variables[name] = value ?? '127.0.0.1';
  }
  const args = (container.args as readonly string[]).map((arg) => {
    const text = arg.replaceAll(/\$\((\w+)\)/g, (_, name: string) => {
      assert.ok(name in variables, `${arg}: no such variable`);
      return variables[name]!;
    });
    return Object.entries(placesOf(folder)).reduce((one, [there, here]) => one.replace(there, here), text);
  });
  const { PATH, HOME } = process.env;
  return { args, env: { PATH, HOME, ...variables } };
}
