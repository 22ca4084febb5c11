/** A route of a fleet's API that is declared, and no more: what follows of it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ScratchTree } from '../scratch-tree.ts';

const file = 'services/extras/fleet/api/owner-routes.ts';
const list = 'export const ownerRoutes: RoutesOf = (access) => [\n';
const entry = `  route({
    method: 'get',
    path: '/v1/crawls/{name}/summary',
    operationId: 'summary',
    summary: 'A crawl in one sentence.',
    tag: 'crawls',
    query: z.strictObject({ words: z.coerce.number().int().max(50).default(9).describe('Most words.') }),
    answers: { '200': json('The sentence.', { summaryAnswer: z.object({ sentence: z.string() }) }) },
    handle: (request, _, { query }) => ({ sentence: \`\${access.seen(request, nameIn(request)).name} in \${query.words} words\` }),
  }),
`;
const imports = "import { z } from 'zod';\nimport { nameIn, route } from './fleet-route.ts';\n";

/** Serves the API with one crawl, for an owner with the key `secret`, and prints the answers. */
const probe = `
import { fleetRoutes } from './services/extras/fleet/api/fleet-routes.ts';
import { startHttpServer } from './services/runtime/http/http-server.ts';
import { Probes } from './services/runtime/http/probes.ts';
const crawl = (name: string, owner: string) => ({ name, owner, data: '/d/' + name, failure: null });
const crawls = [crawl('mine', 'me'), crawl('theirs', 'you')];
const fleet = { find: (name: string) => crawls.find((one) => one.name === name) };
const callers = {
  enter: (key?: string) =>
    key === 'Bearer secret' ? { ok: true, caller: { name: 'me' } } : { ok: false, status: 401, waitS: 0, message: 'no key' },
  isIn: () => true,
};
const server = await startHttpServer({
  listen: { host: '127.0.0.1', port: 0 },
  probes: new Probes(),
  metrics: async () => ({ type: 'text/plain', text: '' }),
  routes: [fleetRoutes(() => ({ fleet }) as never, callers as never)],
  onBug: (error) => { throw error; },
});
const ask = async (path: string, key?: string) => {
  const answer = await fetch('http://' + server.address + path, { headers: key ? { authorization: 'Bearer ' + key } : {} });
  return { status: answer.status, body: await answer.json() };
};
console.log(JSON.stringify({
  document: await ask('/v1/openapi.json'),
  answer: await ask('/v1/crawls/mine/summary?words=3', 'secret'),
  byDefault: await ask('/v1/crawls/mine/summary', 'secret'),
  wrong: await ask('/v1/crawls/mine/summary?words=many', 'secret'),
  unknown: await ask('/v1/crawls/mine/summary?word=3', 'secret'),
  ofAnother: await ask('/v1/crawls/theirs/summary', 'secret'),
  withoutKey: await ask('/v1/crawls/mine/summary'),
}));
await server.close();
`;

test('a route of a fleet is one entry: it is served with rights, its query is checked, and OpenAPI has it', async () => {
  const tree = new ScratchTree();
  const before = tree.read(file);
  assert.ok(before.includes(list));
  tree.write(file, `${imports}${before.replace(list, `${list}${entry}`)}`);
  assert.deepEqual(tree.changed(), [file]);
  const compiled = await tree.compile();
  assert.equal(compiled.code, 0, compiled.stdout);

  tree.write('probe.mts', probe);
  const { code, stdout, stderr } = await tree.node('--import', 'tsx', 'probe.mts');
  assert.equal(code, 0, stderr);
  const { document, ...answers } = JSON.parse(stdout);
  const { parameters, get } = document.body.paths['/v1/crawls/{name}/summary'];
  assert.deepEqual([parameters[0].name, get.operationId, get.parameters[0].name], ['name', 'summary', 'words']);
  assert.deepEqual(Object.keys(get.responses), ['200', '400', '401', '403', '404', '429', '503']);
  assert.ok('SummaryAnswer' in document.body.components.schemas);
  assert.deepEqual(answers.answer, { status: 200, body: { sentence: 'mine in 3 words' } });
  assert.deepEqual(answers.byDefault.body, { sentence: 'mine in 9 words' });
  assert.deepEqual([answers.wrong.status, answers.unknown.status], [400, 400]);
  assert.match(answers.wrong.body.message, /^words: /);
  assert.deepEqual([answers.ofAnother.status, answers.withoutKey.status], [404, 401]);
});
