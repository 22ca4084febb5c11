/** What a registry with Confluent's API is asked, and what becomes of its answers; the registry is the test's. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { fingerprintOf } from '../../../../services/runtime/avro/avro-types.ts';
import { openConfluentRegistry } from '../../../../services/runtime/avro/confluent-registry.ts';

const schema = { type: 'record', name: 'X', namespace: 'n', fields: [{ name: 'a', type: 'int' }] };
const subject = 'c.pages-value';

interface Registered {
  readonly id: number;
  readonly subject: string;
  readonly version: number;
  readonly schema: string;
}

interface Asked {
  readonly call: string;
  readonly authorization: string | undefined;
}

/** Undefined: the registry does as it is asked. */
type Instead = (call: string, nth: number) => { readonly status: number; readonly body: object } | undefined;

async function start(t: TestContext, instead: Instead = () => undefined) {
  const registered: Registered[] = [];
  const rules = new Map<string, string>();
  const asked: Asked[] = [];
  const answerTo = (method: string, path: string, body: string): readonly [number, object] => {
    const [kind = '', name = '', , version] = path.split('/').slice(1).map(decodeURIComponent);
    if (kind === 'schemas') {
      const found = registered.find(({ id }) => id === Number(path.split('/').at(-1)));
      return found === undefined ? [404, { error_code: 40403 }] : [200, { schema: found.schema }];
    }
    if (kind === 'config') {
      if (method === 'PUT') rules.set(name, (JSON.parse(body) as { compatibility: string }).compatibility);
      const rule = rules.get(name);
      return rule === undefined ? [404, { error_code: 40408 }] : [200, { compatibilityLevel: rule }];
    }
    const versions = registered.filter((one) => one.subject === name);
    if (method === 'POST') {
      const made = { id: registered.length + 7, subject: name, version: versions.length + 1 };
      registered.push({ ...made, schema: (JSON.parse(body) as { schema: string }).schema });
      return [200, { id: made.id }];
    }
    if (version !== undefined) return [200, versions[Number(version) - 1]!];
    return versions.length === 0 ? [404, { error_code: 40401 }] : [200, versions.map((one) => one.version)];
  };
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const piece of request) body += piece;
    const call = `${request.method} ${request.url}`;
    asked.push({ call, authorization: request.headers.authorization });
    const nth = asked.filter((one) => one.call === call).length;
    const other = instead(call, nth);
    const [status, value] =
      other === undefined ? answerTo(request.method!, request.url!, body) : [other.status, other.body];
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  /** As another client registers it. */
  const put = (name: string, one: object, rule?: string) => {
    const version = registered.filter((each) => each.subject === name).length + 1;
    registered.push({ id: registered.length + 7, subject: name, version, schema: JSON.stringify(one) });
    if (rule !== undefined) rules.set(name, rule);
  };
  return { url, asked, registered, rules, put, calls: () => asked.splice(0).map(({ call }) => call) };
}

const versionsOf = `GET /subjects/${subject}/versions`;
const registration = `POST /subjects/${subject}/versions`;
const rulesOf = `PUT /config/${subject}`;

test('a new subject gets its rules before its first schema, and a known schema is only read', async (t) => {
  const { url, rules, calls } = await start(t);
  assert.equal(await openConfluentRegistry(url).idFor(subject, schema), 7);
  const first = calls();
  assert.deepEqual([first[0], first[1]], [versionsOf, rulesOf]);
  assert.ok(first.indexOf(registration) > 1);
  assert.equal(rules.get(subject), 'FULL_TRANSITIVE');
  const other = { ...schema, doc: 'described', fields: [{ name: 'a', type: 'int', doc: 'a number' }] };
  assert.equal(await openConfluentRegistry(`${url}/`).idFor(subject, other), 7);
  assert.ok(
    calls().every((call) => call.startsWith('GET ')),
    'a process without the right to write may use it',
  );
});

test('a schema that is a version among others has the id of that version, the oldest of equal ones', async (t) => {
  const { url, put, calls } = await start(t);
  const [older, newer] = [[], [{ name: 'b', type: 'int', default: 0 }]].map((more) => ({
    ...schema,
    fields: [...schema.fields, ...more],
  }));
  for (const one of [older!, newer!, older!]) put(subject, one);
  const registry = openConfluentRegistry(url);
  assert.equal(await registry.idFor(subject, newer!), 8);
  assert.ok(!calls().includes(registration));
  const third = { ...schema, fields: [...newer!.fields, { name: 'c', type: 'int', default: 0 }] };
  assert.equal(await registry.idFor(subject, third), 10);
  assert.ok(calls().includes(registration));
});

test('subjects are named by topic, by record or by both', async (t) => {
  for (const [subjects, name] of [
    [undefined, subject],
    ['topic', subject],
    ['record', 'n.X'],
    ['topic-record', 'c.pages-n.X'],
  ] as const) {
    const { url, registered } = await start(t);
    await openConfluentRegistry(url, subjects === undefined ? {} : { subjects }).idFor(subject, schema);
    assert.deepEqual(
      registered.map((one) => one.subject),
      [name],
    );
  }
});

test('each call has the login, as a password or as a token of that moment', async (t) => {
  const { url, asked } = await start(t);
  await openConfluentRegistry(url, { auth: { username: 'me', password: 'hush' } }).idFor(subject, schema);
  const basic = `Basic ${Buffer.from('me:hush').toString('base64')}`;
  assert.deepEqual([...new Set(asked.splice(0).map((one) => one.authorization))], [basic]);
  let tokens = 0;
  await openConfluentRegistry(url, { token: async () => `t${++tokens}` }).idFor('other', schema);
  const sent = asked.map((one) => one.authorization);
  assert.ok(sent.length > 2 && new Set(sent).size === sent.length);
  for (const one of sent) assert.match(one!, /^Bearer t\d+$/);
});

test('a subject of another client gets our rules when a schema is added to it', async (t) => {
  const { url, put, rules } = await start(t);
  put(subject, { ...schema, fields: [...schema.fields, { name: 'b', type: 'int', default: 0 }] }, 'BACKWARD');
  assert.equal(await openConfluentRegistry(url).idFor(subject, schema), 8);
  assert.equal(rules.get(subject), 'FULL_TRANSITIVE');
});

const conflict = { status: 409, body: { error_code: 409, message: 'incompatible with an earlier schema' } };

test('a schema that an earlier version excludes is refused, with that version and the difference', async (t) => {
  const { url, put } = await start(t, (call) => (call === registration ? conflict : undefined));
  put(subject, schema, 'FULL_TRANSITIVE');
  put(subject, { ...schema, fields: [{ name: 'b', type: 'string' }] });
  await assert.rejects(
    openConfluentRegistry(url).idFor(subject, { ...schema, fields: [{ name: 'a', type: 'string' }] }),
    {
      code: 'SCHEMA_INCOMPATIBLE',
      message:
        /^the registry rejects the schema of c\.pages-value \(version [12]: .*\): run the release that registered it/,
    },
  );
});

test('a conflict without a difference is another process at the same moment, and is tried again', async (t) => {
  const { url, calls } = await start(t, (call, nth) => (call === registration && nth < 3 ? conflict : undefined));
  assert.equal(await openConfluentRegistry(url).idFor(subject, schema), 7);
  assert.equal(calls().filter((call) => call === registration).length, 3);
});

test('a registry that accepts no rules gets no schema', async (t) => {
  const { url, registered } = await start(t, (call) =>
    call === rulesOf ? { status: 404, body: { error_code: 404 } } : undefined,
  );
  await assert.rejects(openConfluentRegistry(url).idFor(subject, schema), {
    code: 'REGISTRY_UNREACHABLE',
    message: /cannot be used \(it accepts no rules for c\.pages-value\): check --registry$/,
  });
  assert.deepEqual(registered, []);
});

test('a refusal is reported with the call and the status, and a registry that comes back is used', async (t) => {
  let status = 403;
  const { url } = await start(t, (call) => (call === versionsOf && status > 0 ? { status, body: {} } : undefined));
  const registry = openConfluentRegistry(url);
  const refused = (message: RegExp) => ({ code: 'REGISTRY_UNREACHABLE', message });
  await assert.rejects(
    registry.idFor(subject, schema),
    refused(/\(it answered 403 to GET \/subjects\/c\.pages-value\/versions\): check --registry$/),
  );
  status = 404;
  await assert.rejects(registry.idFor(subject, schema), refused(/it answered 404 .*; the usual addresses are/));
  status = 0;
  assert.equal(await registry.idFor(subject, schema), 7);
});

test('a schema is read by its id, and an unknown id is an error that passes', async (t) => {
  const { url, put } = await start(t);
  put(subject, schema);
  const registry = openConfluentRegistry(url);
  assert.equal(fingerprintOf(await registry.schemaById(7)), fingerprintOf(schema));
  await assert.rejects(registry.schemaById(99), { code: 'SCHEMA_UNKNOWN', message: /99/ });
});

test('a registry that does not answer, or is not there, is reported by its address', async () => {
  const server = createServer(() => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const silent = openConfluentRegistry(url, {}, 30);
  for (const call of [() => silent.idFor(subject, schema), () => silent.schemaById(1)])
    await assert.rejects(call(), {
      code: 'REGISTRY_UNREACHABLE',
      message: new RegExp(`^the registry at ${url} cannot be used \\(`),
    });
  await assert.rejects(silent.schemaById(2), { message: /no answer in 30 ms/ });
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await assert.rejects(openConfluentRegistry(url).idFor(subject, schema), {
    code: 'REGISTRY_UNREACHABLE',
    message: /ECONNREFUSED/,
  });
});
