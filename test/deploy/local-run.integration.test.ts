/** deploy/local.sh with programs that only write down how they were called. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '../services/runtime/store/temporary-folder.ts';

const script = fileURLToPath(new URL('../../deploy/local.sh', import.meta.url));
/** What the fakes answer; `{calls}`: the file for calls. */
const answers: Readonly<Record<string, string>> = {
  docker: '',
  kind: '[ "$*" != "get clusters" ] || cat "{calls}.clusters"',
  k3d: '[ "$*" != "cluster list crawlstream" ] || grep -q . "{calls}.clusters"',
  kubectl: 'case "$*" in kustomize*) printf \'data:\\n  CONTACT: ""\\n\' ;; *apply*) cat > "{calls}.applied" ;; esac',
};

interface Run {
  readonly programs: readonly string[];
  readonly contact?: string;
  readonly clusters?: string;
  readonly urls?: readonly string[];
}

function runLocal({ programs, contact, clusters = '', urls = [] }: Run) {
  const folder = temporaryFolder();
  const calls = join(folder, 'calls');
  writeFileSync(`${calls}.clusters`, clusters);
  for (const tool of ['sh', 'grep', 'sed', 'cat', 'dirname', 'printf']) {
    const found = ['/bin', '/usr/bin'].map((bin) => join(bin, tool)).find((file) => existsSync(file));
    if (found !== undefined) symlinkSync(found, join(folder, tool));
  }
  for (const program of programs) {
    const file = join(folder, program);
    const answer = answers[program]!.replaceAll('{calls}', calls);
    writeFileSync(file, `#!/bin/sh\necho "${program} $*" >> "${calls}"\n${answer}\n`);
    chmodSync(file, 0o700);
  }
  const env = { PATH: folder, ...(contact !== undefined && { CONTACT: contact }) };
  const { status, stderr } = spawnSync('/bin/sh', [script, ...urls], { env, encoding: 'utf8' });
  const textOf = (file: string) => (existsSync(file) ? readFileSync(file, 'utf8') : '');
  return { status, stderr, calls: textOf(calls).trim().split('\n'), applied: textOf(`${calls}.applied`) };
}

const contact = 'me@example.org';
const [kind, k3d] = [
  ['docker', 'kubectl', 'kind'],
  ['docker', 'kubectl', 'k3d'],
];

it('the local run makes a cluster, loads the image, applies the overlay with the contact, and injects URLs', () => {
  const { status, stderr, calls, applied } = runLocal({ programs: kind!, contact, urls: ['https://example.org'] });
  assert.equal(status, 0, stderr);
  assert.deepEqual(calls, [
    'kind get clusters',
    'kind create cluster --name crawlstream',
    'docker build -f deploy/Dockerfile -t crawlstream:local .',
    'kind load docker-image --name crawlstream crawlstream:local',
    'kubectl kustomize deploy/overlays/local',
    'kubectl --context kind-crawlstream apply -f -',
    'kubectl --context kind-crawlstream -n crawlstream rollout status statefulset/crawlstream-frontier --timeout 10m',
    'kubectl --context kind-crawlstream -n crawlstream exec crawlstream-frontier-0 -- crawlstream inject https://example.org --brokers kafka:9092 --registry http://registry:8080/apis/ccompat/v7',
  ]);
  assert.equal(applied, 'data:\n  CONTACT: me@example.org\n');
});

it('the local run keeps a cluster that is there, and uses k3d where kind is missing', () => {
  assert.ok(!runLocal({ programs: kind!, contact, clusters: 'crawlstream\n' }).calls.join().includes('create'));
  const { calls } = runLocal({ programs: k3d!, contact });
  assert.ok(calls.includes('k3d cluster create crawlstream'));
  assert.ok(calls.includes('k3d image import --cluster crawlstream crawlstream:local'));
  assert.ok(calls.includes('kubectl --context k3d-crawlstream apply -f -'));
});

it('the local run does nothing without a contact or a program, and names what is missing', () => {
  for (const [run, says] of [
    [{ programs: kind! }, /^CONTACT is empty: give/],
    [{ programs: kind!, contact: 'me|x' }, /^CONTACT is no web or mail address: me\|x/],
    [{ programs: ['docker', 'kind'], contact }, /^kubectl is missing/],
    [{ programs: ['docker', 'kubectl'], contact }, /^kind and k3d are missing/],
  ] as const) {
    const { status, stderr, calls } = runLocal(run);
    assert.equal(status, 2);
    assert.match(stderr, says);
    assert.deepEqual(calls, ['']);
  }
});
