import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { kafkaVersion, registryVersion } from '../../lab/kafka/components.ts';
import { settingsOf } from '../../services/cli/config/settings.ts';
import { createProgram } from '../../services/cli/program.ts';
import { readCompose, rolesOf } from './compose.ts';

const contact = { CONTACT: 'me@example.org' };

describe('the compose file', () => {
  it('the compose file asks for a contact in words, since a crawl has none by default', async () => {
    await assert.rejects(readCompose({}), /CONTACT: set CONTACT to a web or mail address/);
  });

  it('the compose file starts each role with valid options and variables', async () => {
    const program = await createProgram();
    const variables = new Set(settingsOf(program).map(({ env }) => env));
    const known = new Set([...variables, 'CRAWLSTREAM_NO_SANDBOX']);
    const roles = rolesOf(await readCompose(contact));
    assert.deepEqual(
      roles.map(([, { command }]) => command![0]),
      ['frontier', 'frontier', 'fetcher', 'fetcher', 'dashboard', 'dedup', 'index', 'graph', 'archive', 'render'],
    );
    for (const [name, { command, environment }] of roles) {
      const role = program.commands.find((one) => one.name() === command![0]);
      for (const option of command!.slice(1).filter((word) => word.startsWith('--'))) {
        assert.ok(
          role?.options.some(({ long }) => long === option),
          `${name} ${option}`,
        );
      }
      for (const variable of Object.keys(environment ?? {})) assert.ok(known.has(variable), `${name} ${variable}`);
    }
  });

  it('the compose file waits for health, not for a start, and every service of a crawl reports its own', async () => {
    const services = await readCompose(contact);
    for (const [name, { depends_on, healthcheck }] of rolesOf(services)) {
      assert.ok(healthcheck, name);
      for (const [on, { condition }] of Object.entries(depends_on ?? {})) {
        assert.equal(condition, 'service_healthy', `${name} on ${on}`);
        assert.ok(services[on]?.healthcheck, on);
      }
    }
  });

  it('the compose file exposes the broker and the pages to this machine only', async () => {
    const services = await readCompose(contact);
    const ports = Object.values(services).flatMap((service) => service.ports ?? []);
    assert.ok(
      ports.every((port) => port.startsWith('127.0.0.1:')),
      ports.join(),
    );
    assert.deepEqual(services['kafka']!.ports, ['127.0.0.1:9092:9092']);
    assert.deepEqual(services['dashboard']!.ports, ['127.0.0.1:9465:9465']);
  });

  it('the compose file runs the tested broker and registry, and the docs name no other', async () => {
    const services = await readCompose(contact);
    assert.equal(services['kafka']!.image, `apache/kafka:${kafkaVersion}`);
    const registry = services['registry']!.image.split(':')[1]!;
    assert.equal(registry.split('.')[0], registryVersion.split('.')[0]);
    const page = await readFile(new URL('../../deploy/KAFKA.md', import.meta.url), 'utf8');
    assert.match(page, new RegExp(`^Kafka [\\d.]+ to ${kafkaVersion.split('.').slice(0, 2).join('\\.')}[, ]`, 'm'));
  });
});
