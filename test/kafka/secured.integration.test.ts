/** A broker with TLS, SASL and an authorizer: every login, and each service with no right but its own. */
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { skipReason } from '../../lab/kafka/components.ts';
import { lastJson, type Running, startCommand } from '../../lab/process/command.ts';
import { services } from '../../services/application/access.ts';
import { openConfluentRegistry } from '../../services/runtime/avro/confluent-registry.ts';
import { kafkaCredentials, registryLogin } from '../../services/runtime/crawl/kafka-credentials.ts';
import { openKafkaLog } from '../../services/runtime/log/kafka/kafka-log.ts';
import { assertFlawless, startSmallWeb } from '../services/cli/small-web.ts';
import { allow } from './allow.ts';
import { passwordOf, type SecuredBroker, startSecuredBroker } from './secured-broker.ts';

const skip = (await skipReason()) ?? false;
const crawl = 'guarded';

describe('a secured broker', { skip, timeout: 300_000 }, () => {
  let broker: SecuredBroker;
  before(async () => {
    broker = await startSecuredBroker([...services.map(({ name }) => name), 'lister', 'nobody']);
  });
  after(() => broker?.stop());

  const env = (user: string, more: Record<string, string> = {}) => ({
    CRAWLSTREAM_KAFKA_CA: broker.ca,
    CRAWLSTREAM_KAFKA_MECHANISM: 'plain',
    CRAWLSTREAM_KAFKA_USERNAME: user,
    CRAWLSTREAM_KAFKA_PASSWORD: passwordOf(user),
    ...more,
  });
  const open = (variables: NodeJS.ProcessEnv) =>
    openKafkaLog({
      ...kafkaCredentials(variables),
      ...{ brokers: broker.brokers.split(','), clientId: 'secured', openTimeoutMs: 4_000 },
    });
  const appendAndRead = async (variables: NodeJS.ProcessEnv, topic: string) => {
    const log = await open(variables);
    try {
      await log.createTopics([{ name: topic, partitions: 1, retention: 'time' }]);
      await log.append([{ topic, partition: 0, key: null, value: Buffer.from('a') }]);
      const reader = log.reader();
      reader.seek(topic, 0, 0);
      return (await reader.poll({ maxBytes: 100, waitMs: 10_000 })).length;
    } finally {
      await log.close();
    }
  };

  it('a secured broker accepts PLAIN, SCRAM and a token, from a file or a token endpoint', async () => {
    await broker.addScramUser('admin', 'by-scram');
    const token = join(broker.folder, 'token');
    await writeFile(token, `${broker.tokenOf('admin')}\n`);
    const issuer = createServer((request, response) => {
      const isRight = request.headers.authorization === `Basic ${Buffer.from('me:hush').toString('base64')}`;
      response.writeHead(isRight ? 200 : 401, { 'content-type': 'application/json' });
      response.end(JSON.stringify(isRight ? { access_token: broker.tokenOf('admin') } : {}));
    });
    await new Promise<void>((resolve) => issuer.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(issuer.address() as AddressInfo).port}/token`;
    const scram = { CRAWLSTREAM_KAFKA_PASSWORD: 'by-scram' };
    const oauth = { CRAWLSTREAM_KAFKA_CA: broker.ca };
    const issued = { CRAWLSTREAM_KAFKA_TOKEN_URL: url, CRAWLSTREAM_KAFKA_USERNAME: 'me' };
    const logins: Record<string, NodeJS.ProcessEnv> = {
      plain: env('admin'),
      scram256: env('admin', { ...scram, CRAWLSTREAM_KAFKA_MECHANISM: 'scram-sha-256' }),
      scram512: env('admin', { ...scram, CRAWLSTREAM_KAFKA_MECHANISM: 'SCRAM-SHA-512' }),
      tokenFile: { ...oauth, CRAWLSTREAM_KAFKA_TOKEN_FILE: token },
      tokenUrl: { ...oauth, ...issued, CRAWLSTREAM_KAFKA_PASSWORD: 'hush' },
    };
    for (const [name, variables] of Object.entries(logins))
      assert.equal(await appendAndRead(variables, `login.${name}`), 1, name);
    issuer.close();
  });

  it('a secured broker refuses wrong passwords, forged tokens and untrusted authorities', async () => {
    const forged = join(broker.folder, 'forged');
    await writeFile(forged, `${broker.tokenOf('admin').slice(0, -8)}AAAAAAAA`);
    const refused = { code: 'BROKER_UNREACHABLE', message: /rejects the login/ };
    await assert.rejects(open(env('admin', { CRAWLSTREAM_KAFKA_PASSWORD: 'wrong' })), refused);
    await assert.rejects(open({ CRAWLSTREAM_KAFKA_CA: broker.ca, CRAWLSTREAM_KAFKA_TOKEN_FILE: forged }), refused);
    await assert.rejects(open(env('admin', { CRAWLSTREAM_KAFKA_CA: broker.otherCa })), {
      code: 'BROKER_UNREACHABLE',
      message: /can't be reached.*TLS and SASL/,
    });
  });

  it('a running process reads passwords and certificates again at each connection', async () => {
    const [password, ca] = [join(broker.folder, 'password'), join(broker.folder, 'ca-copy')];
    await broker.addScramUser('admin', 'by-scram');
    await writeFile(password, 'by-scram\n');
    await writeFile(ca, await readFile(broker.ca));
    const log = await openKafkaLog({
      credentials: () =>
        kafkaCredentials({
          CRAWLSTREAM_KAFKA_CA: ca,
          CRAWLSTREAM_KAFKA_USERNAME: 'admin',
          CRAWLSTREAM_KAFKA_PASSWORD_FILE: password,
        }),
      ...{ brokers: broker.brokers.split(','), clientId: 'rotated', deliveryTimeoutMs: 4_000 },
    });
    try {
      await log.createTopics([{ name: 'rotated', partitions: 1, retention: 'time' }]);
      await log.append([{ topic: 'rotated', partition: 0, key: null, value: Buffer.from('a') }]);
      /** Over a connection of its own. */
      const read = async () => {
        const reader = log.reader();
        reader.seek('rotated', 0, 0);
        try {
          return (await reader.poll({ maxBytes: 100, waitMs: 10_000 })).length;
        } finally {
          await reader.close();
        }
      };
      await broker.addScramUser('admin', 'another');
      await assert.rejects(read(), { message: /rejects the login/ });
      await writeFile(password, 'another\n');
      assert.equal(await read(), 1, 'the new password');
      await writeFile(ca, await readFile(broker.otherCa));
      await assert.rejects(read(), { message: /can't be reached/ });
      await rm(ca);
      await assert.rejects(read(), { message: /can't be reached/ }, 'what was read last, while there is none');
      await writeFile(ca, await readFile(broker.ca));
      assert.equal(await read(), 1, 'the new authority');
    } finally {
      await log.close();
    }
  });

  it('a registry with a private authority and a password is used with both', async () => {
    const asked: (string | undefined)[] = [];
    const [key, cert] = await Promise.all([readFile(broker.server.key), readFile(broker.server.cert)]);
    const registry = createTlsServer({ key, cert }, (request, response) => {
      asked.push(request.headers.authorization);
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(request.url?.startsWith('/schemas') ? JSON.stringify({ schema: '"string"' }) : '[]');
    });
    await new Promise<void>((resolve) => registry.listen(0, '127.0.0.1', resolve));
    const url = `https://127.0.0.1:${(registry.address() as AddressInfo).port}`;
    const variables = {
      ...{ CRAWLSTREAM_REGISTRY_CA: broker.ca, CRAWLSTREAM_REGISTRY_USERNAME: 'me' },
      CRAWLSTREAM_REGISTRY_PASSWORD_FILE: join(broker.folder, 'registry-password'),
    };
    await writeFile(variables.CRAWLSTREAM_REGISTRY_PASSWORD_FILE, 'hush\n');
    await openConfluentRegistry(url, registryLogin(variables)).schemaById(1);
    await assert.rejects(openConfluentRegistry(url, {}, 2_000).schemaById(2));
    assert.deepEqual(asked, [`Basic ${Buffer.from('me:hush').toString('base64')}`]);
    registry.close();
  });

  describe('with an authorizer', () => {
    const running = new Set<Running>();
    let [folder, plugin] = ['', ''];
    before(async () => {
      folder = await mkdtemp(join(tmpdir(), 'crawlstream-guarded-'));
      await allow(broker, ['--crawl', crawl]);
      plugin = join(folder, 'mine.mjs');
      await writeFile(plugin, pluginText);
    });
    after(async () => {
      for (const { child } of running) child.kill('SIGKILL');
      await rm(folder, { recursive: true, force: true });
    });
    const at = () => ['--brokers', broker.brokers, '--crawl', crawl];
    const as = (user: string, args: readonly string[]) =>
      startCommand([...args], { env: { ...process.env, ...env(user) }, patienceMs: 200_000 });
    const start = (user: string, args: readonly string[]) => {
      const one = as(user, args);
      running.add(one);
      return one;
    };

    it('with an authorizer, a crawl runs with each service limited to its listed rights', async () => {
      const web = await startSmallWeb({ ...{ hosts: 6, pagesPerHost: 6, seed: 2 } });
      const made = await as('operator', ['topics', 'create', ...at(), '--partitions', '2']).ended;
      assert.equal(made.code, 0, made.stderr);
      const seeds = [...web.seeds, '--delay', '30ms'];
      const sent = await as('operator', ['inject', ...at(), ...seeds]).ended;
      assert.equal(sent.code, 0, sent.stderr);
      const frontier = start('frontier', ['frontier', ...at(), '--data', join(folder, 'frontier')]);
      const fetcher = start('fetcher', ['fetcher', ...at(), '--resolve', `*:${web.port}:127.0.0.1`, '--responses']);
      const index = start('index', ['index', ...at(), '--data', join(folder, 'index')]);
      const dedup = start('dedup', ['dedup', ...at(), '--data', join(folder, 'dedup')]);
      const archive = start('archive', ['archive', ...at(), '--data', join(folder, 'archive')]);
      const stats = async () => {
        const looked = await as('operator', ['stats', ...at(), '--json']).ended;
        assert.equal(looked.code, 0, looked.stderr);
        return lastJson(looked);
      };
      for (let now = await stats(); now['pages'] !== web.check({ delayMs: 30 }).expected || now['queued'] !== 0; ) {
        for (const one of running) assert.equal(one.child.exitCode, null, one.output());
        now = await stats();
      }
      assertFlawless(web.check({ delayMs: 30 }));
      for (const one of [fetcher, index, dedup, archive, frontier]) {
        one.child.kill('SIGTERM');
        const { code, stderr } = await one.ended;
        assert.ok(code === 0 || code === 130, stderr);
        running.delete(one);
      }
    });

    it('with an authorizer, a fetcher with a plugin reports missing rights, and with the plugin’s list the plugin works', async () => {
      const web = await startSmallWeb({ ...{ hosts: 3, pagesPerHost: 5, seed: 3 } });
      const sent = await as('operator', ['inject', ...at(), ...web.seeds, '--delay', '30ms']).ended;
      assert.equal(sent.code, 0, sent.stderr);
      const fetching = ['fetcher', ...at(), '--resolve', `*:${web.port}:127.0.0.1`, '--plugin', plugin];
      const refused = await as('fetcher', fetching).ended;
      assert.equal(refused.code, 2, refused.stderr);
      assert.match(refused.stderr, /control.*not allowed for this user.*crawlstream acls fetcher --plugin/s);
      await allow(broker, ['--crawl', crawl, '--plugin', plugin]);
      const frontier = start('frontier', ['frontier', ...at(), '--data', join(folder, 'frontier')]);
      const fetcher = start('fetcher', fetching);
      const lister = start('lister', ['consume', ...at(), '--plugin', plugin, '--data', join(folder, 'lister')]);
      const { expected } = web.check({ delayMs: 30 });
      const listed = async () => {
        const text = await readFile(join(folder, 'lister/plugins/lister/urls.txt'), 'utf8').catch(() => '');
        return text.split('\n').filter((line) => line.includes(`:${web.port}/`));
      };
      const deadlineMs = Date.now() + 120_000;
      for (; (await listed()).length < expected && Date.now() < deadlineMs; await sleep(200))
        for (const one of running) assert.equal(one.child.exitCode, null, one.output());
      const lines = await listed();
      assert.equal(new Set(lines.map((line) => line.split(' ')[0])).size, expected);
      assert.ok(lines.every((line) => line.endsWith(' seen by mine')));
      assertFlawless(web.check({ delayMs: 30 }));
      const reported = await as('operator', ['explain', ...at(), web.seeds[0]!]).ended;
      assert.match(reported.stdout, /mine 1\.2\.3/);
      for (const one of [fetcher, lister, frontier]) {
        one.child.kill('SIGTERM');
        await one.ended;
        running.delete(one);
      }
    });

    it('with an authorizer, a service in the place of another reports its missing rights', async () => {
      const frontier = await as('fetcher', ['frontier', ...at(), '--data', join(folder, 'wrong')]).ended;
      assert.equal(frontier.code, 2);
      assert.match(frontier.stderr, /not allowed for this user \(\w+_AUTHORIZATION_FAILED\): grant the right/);
      const stats = await as('nobody', ['stats', ...at()]).ended;
      assert.notEqual(stats.code, 0);
      assert.match(stats.stderr, /not allowed for this user|crawl .* does not exist/);
    });
  });
});

it('invalid credentials are refused by the name of their variable', async () => {
  const refusals: [NodeJS.ProcessEnv, RegExp][] = [
    [{ CRAWLSTREAM_KAFKA_MECHANISM: 'gssapi' }, /CRAWLSTREAM_KAFKA_MECHANISM is gssapi: give one of plain/],
    [{ CRAWLSTREAM_KAFKA_MECHANISM: 'plain' }, /CRAWLSTREAM_KAFKA_USERNAME is missing/],
    [{ CRAWLSTREAM_KAFKA_MECHANISM: 'oauthbearer' }, /CRAWLSTREAM_KAFKA_TOKEN_FILE is missing/],
    [{ CRAWLSTREAM_KAFKA_CA: '/nowhere/ca.pem' }, /CRAWLSTREAM_KAFKA_CA can't be read/],
    [{ CRAWLSTREAM_KAFKA_TLS: 'no' }, /CRAWLSTREAM_KAFKA_TLS is no: give 1 or 0/],
    [{ CRAWLSTREAM_KAFKA_CERT: import.meta.filename }, /CRAWLSTREAM_KAFKA_KEY is missing/],
    [{ CRAWLSTREAM_KAFKA_USERNAME: 'a', CRAWLSTREAM_KAFKA_PASSWORD_FILE: '/nowhere' }, /KAFKA_PASSWORD_FILE: ENOENT/],
  ];
  for (const [variables, message] of refusals)
    assert.throws(() => kafkaCredentials(variables), { code: 'INVALID_ARGUMENT', message });
  assert.deepEqual(kafkaCredentials({}), {});
  for (const on of ['1', 'true']) assert.deepEqual(kafkaCredentials({ CRAWLSTREAM_KAFKA_TLS: on }), { ssl: true });
  for (const off of ['0', 'false']) assert.deepEqual(kafkaCredentials({ CRAWLSTREAM_KAFKA_TLS: off }), {});
});

/** Marks each page, and lists those that another process publishes. */
const pluginText = `
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
export default {
  name: 'mine',
  version: '1.2.3',
  page: (page) => ({ ...page, description: 'seen by mine' }),
  processors: [{
    name: 'lister',
    does: 'lists pages',
    open: ({ folder }) => ({
      handle(batch) {
        appendFileSync(join(folder, 'urls.txt'), batch.map(({ value }) => value.url + ' ' + value.description + '\\n').join(''));
      },
    }),
  }],
};
`;
