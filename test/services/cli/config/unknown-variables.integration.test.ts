/** A variable that nobody reads is told of, once, by whatever command runs; those that others put there are passed over. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runCommand } from '../../../../lab/process/command.ts';

/** Needs nothing, and ends at once. */
const words = ['check', 'url', 'http://example.org/'];

async function saidWith(variables: NodeJS.ProcessEnv, line: readonly string[] = words): Promise<string> {
  const { code, stderr } = await runCommand(line, { env: { ...process.env, ...variables } });
  assert.equal(code, 0, stderr);
  return stderr;
}

test('a misspelt variable is reported in one line with the nearest name, and the command runs', async () => {
  assert.equal(
    await saidWith({ CRAWLSTREAM_MAX_PAGE: '10', CRAWLSTREAM_KAFKA_PASWORD_FILE: '/x' }),
    'crawlstream: environment: CRAWLSTREAM_MAX_PAGE is not a known variable (did you mean CRAWLSTREAM_MAX_PAGES?), ' +
      'CRAWLSTREAM_KAFKA_PASWORD_FILE is not a known variable (did you mean CRAWLSTREAM_KAFKA_PASSWORD_FILE?)\n',
  );
  assert.equal(
    await saidWith({ CRAWLSTREAM_FLAVOUR: 'mild' }, ['topology']),
    'crawlstream: environment: CRAWLSTREAM_FLAVOUR is not a known variable (crawlstream config init - lists all variables)\n',
  );
  const many = Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`CRAWLSTREAM_FLAVOUR_${i}`, 'x']));
  assert.match(await saidWith(many), /FLAVOUR_2 is not a known variable \([^)]*\), and 6 more\n$/);
});

test('variables injected by Kubernetes, variables that are no settings, and foreign ones are not reported', async () => {
  const link = (name: string) => ({
    [`${name}_SERVICE_HOST`]: '10.96.0.12',
    [`${name}_SERVICE_PORT`]: '9464',
    [`${name}_SERVICE_PORT_HTTP`]: '9464',
    [`${name}_PORT`]: 'tcp://10.96.0.12:9464',
    [`${name}_PORT_9464_TCP`]: 'tcp://10.96.0.12:9464',
    [`${name}_PORT_9464_TCP_PROTO`]: 'tcp',
    [`${name}_PORT_9464_TCP_PORT`]: '9464',
    [`${name}_PORT_9464_TCP_ADDR`]: '10.96.0.12',
  });
  assert.equal(await saidWith({ ...link('CRAWLSTREAM'), ...link('CRAWLSTREAM_FRONTIER') }), '');
  assert.equal(await saidWith({ CRAWLSTREAM_DNS_PORT: 'udp://[fd00::1]:53' }), '');
  const read = [
    'KAFKA_TLS',
    'KAFKA_CA',
    'KAFKA_CERT',
    'KAFKA_KEY',
    'KAFKA_TOKEN_FILE',
    'KAFKA_TOKEN_URL',
    'KAFKA_TOKEN_SCOPE',
  ];
  const more = [
    'REGISTRY_USERNAME',
    'REGISTRY_PASSWORD',
    'REGISTRY_PASSWORD_FILE',
    'REGISTRY_CA',
    'NO_SANDBOX',
    'FIT_HEAP',
  ];
  const names = [...read, ...more, 'KAFKA_PASSWORD_FILE', 'HTTP_TOKEN', 'MAX_PAGES', 'STORE'];
  assert.equal(await saidWith(Object.fromEntries(names.map((name) => [`CRAWLSTREAM_${name}`, '0']))), '');
  assert.equal(await saidWith({ OTHER_MAX_PAGE: '1', CRAWLSTREAMER: '1' }), '');
});
