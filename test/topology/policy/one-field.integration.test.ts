/** A field of a policy that is declared, and no more: everything that follows from the entry. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { ScratchTree } from '../../services/extras/scratch-tree.ts';
import { serveSite } from '../../services/fetcher/loopback.ts';

const file = 'topology/policy/policy-fields.ts';
const table = 'export const policyFields = {\n';
const entry = `  quietMs: {
    schema: z.int().min(0).max(60_000).optional(),
    about: 'Quiet time after each page. Absent: none.',
    initial: 7,
    overlay: 'hosts',
    setter: 'operator',
    flag: { name: 'quietTime', value: '<duration>', about: 'quiet time after each page (default: 7ms)', reason: 'noise is seldom' },
  },
`;

/** Prints how a fleet handles the field: in OpenAPI, and for the owner of a crawl. */
const probe = `
import { compilePolicy, defaultPolicy, type PolicyConfig } from './topology/policy/policy.ts';
import { fleetOpenApi } from './services/extras/fleet/api/fleet-openapi.ts';
import { checkOwnersFields } from './services/extras/fleet/owner-policy.ts';

const policy: PolicyConfig = {
  ...defaultPolicy(),
  quietMs: 5,
  overlays: [{ name: 'o', match: { hosts: ['a.test'] }, set: { quietMs: 9 } }],
};
const refusal = (act: () => void): string => {
  try {
    act();
    return 'none';
  } catch (error) {
    return (error as Error).message;
  }
};
const { components } = fleetOpenApi([]) as { components: { schemas: { Policy: { properties: Record<string, object> } } } };
const quiet: number | undefined = compilePolicy(policy).hostSettings('a.test').quietMs;
console.log(JSON.stringify({
  document: components.schemas.Policy.properties['quietMs'],
  ofHosts: [quiet, compilePolicy(policy).hostSettings('b.test').quietMs],
  ofOwner: refusal(() => checkOwnersFields({ quietMs: 1 }, [])),
  inOverlay: refusal(() => checkOwnersFields({}, policy.overlays ?? [])),
}));
`;

test('a field of a policy is one entry: help, environment, checks, overlays, OpenAPI and documents follow', async (t) => {
  const tree = new ScratchTree(['docs', 'deploy', 'README.md']);
  tree.write(file, tree.read(file).replace(table, `${table}${entry}`));
  assert.deepEqual(tree.changed(), [file]);
  tree.write('topology/probe.ts', probe.replaceAll("'./", "'../").replaceAll("'../topology/", "'./"));
  const compiled = await tree.compile();
  assert.equal(compiled.code, 0, compiled.stdout);
  const probed = await tree.node('--import', 'tsx', 'topology/probe.ts');
  assert.equal(probed.code, 0, probed.stderr);
  const { document, ofHosts, ofOwner, inOverlay } = JSON.parse(probed.stdout);
  assert.deepEqual(document, { type: 'integer', minimum: 0, maximum: 60_000 });
  assert.deepEqual(ofHosts, [9, 5]);
  assert.match(ofOwner, /^policy\.quietMs: only the operator/);
  assert.match(inOverlay, /^policy\.overlays\[0\]\.set\.quietMs: only the operator/);

  const site = await serveSite(
    t,
    (_, response) => void response.setHeader('content-type', 'text/html').end('<p>x</p>'),
  );
  const data = ['--data', join(tree.folder, 'data')];
  const said = async (...words: string[]) => {
    const { code, stdout, stderr } = await tree.crawlstream(...words);
    assert.equal(code, 0, stderr);
    return stdout;
  };
  const shown = async () => JSON.parse(await said('policy', 'show', '--json', ...data));
  const set = (name: string, text: string) => {
    tree.write(name, text);
    return tree.crawlstream('policy', 'set', join(tree.folder, name), ...data);
  };
  assert.match(await said('crawl', '--help', 'all'), /--quiet-time <duration> +quiet time after each page/);
  assert.match(await said('completion', 'bash'), /--quiet-time/);
  await said('crawl', site.url('a.test', '/'), '--delay', '0s', '--resolve', `*.test:${site.port}:127.0.0.1`, ...data);
  assert.equal((await shown()).quietMs, 7, 'the default of a new crawl');
  await said('crawl', '--quiet-time', '5s', ...data);
  assert.equal((await shown()).quietMs, 5_000);
  const long = await tree.crawlstream('crawl', '--quiet-time', '2m', ...data);
  assert.match(long.stderr, /--quiet-time[\s\S]*from 0ms to 1m/);
  process.env['CRAWLSTREAM_QUIET_TIME'] = 'seldom';
  t.after(() => delete process.env['CRAWLSTREAM_QUIET_TIME']);
  assert.match((await tree.crawlstream('crawl', ...data)).stderr, /CRAWLSTREAM_QUIET_TIME/);
  delete process.env['CRAWLSTREAM_QUIET_TIME'];

  assert.match((await set('long.yaml', 'quietMs: 70000')).stderr, /policy\.quietMs: .*60000/);
  const overlay = (match: string) => `overlays: [{ name: o, match: ${match}, set: { quietMs: 9 } }]`;
  assert.match(
    (await set('part.yaml', overlay("{ patterns: ['/a'] }"))).stderr,
    /policy\.overlays\[0\]\.set\.quietMs: this setting applies to whole hosts/,
  );
  assert.equal((await set('host.yaml', overlay('{ hosts: [a.test] }'))).code, 0);
  const { quietMs, overlays } = await shown();
  assert.deepEqual([quietMs, overlays[0].set], [5_000, { quietMs: 9 }]);

  const generated = await tree.generate();
  assert.equal(generated.code, 0, generated.stderr);
  const page = tree.read('docs/policy.md');
  assert.match(
    page,
    /\| `quietMs` \| whole number, 0 to 60000 \| `7` \| Quiet time after each page\. Absent: none\. \|/,
  );
  assert.match(page, /\| `overlays\[\]\.set\.quietMs` \| .* \| As the policy's `quietMs`\. For whole hosts\. \|/);
  assert.match(tree.read('deploy/CONFIGURATION.md'), /CRAWLSTREAM_QUIET_TIME/);
  assert.match(tree.read('deploy/COMMANDS.md'), /--quiet-time <duration>/);
});
