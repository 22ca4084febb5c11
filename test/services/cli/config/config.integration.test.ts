import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { lastJson, runCommand } from '../../../../lab/process/command.ts';
import { loadCommands } from '../../../../services/cli/command-modules.ts';
import { applyConfig, sourceOf } from '../../../../services/cli/config/apply-config.ts';
import { readConfig } from '../../../../services/cli/config/config-file.ts';
import { programOf } from '../../../../services/cli/program.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';

const all = await loadCommands();
const createProgram = () => programOf(all);

function fileOf(text: string, name = 'crawlstream.yaml'): string {
  const file = join(temporaryFolder(), name);
  writeFileSync(file, text);
  return file;
}

/** The options of a command as it would run, and where they come from. */
function effective(line: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const program = createProgram();
  const command = program.commands.find((one) => one.name() === line[0])!;
  command.parseOptions(line.slice(1));
  applyConfig(program, command, env);
  return { value: (key: string) => command.getOptionValue(key), from: (key: string) => sourceOf(command, key) };
}

test('flags win over the environment, that over the file’s section, that over its top, and all over the default', () => {
  const config = fileOf('concurrency: 10\ncrawl: top\nservices:\n  fetcher:\n    concurrency: 20\n');
  const env = { CRAWLSTREAM_CONFIG: config };
  assert.equal(effective(['fetcher']).value('concurrency'), 1000);
  assert.equal(effective(['crawl'], env).value('concurrency'), 10);
  assert.equal(effective(['fetcher'], env).value('concurrency'), 20);
  assert.equal(effective(['fetcher', '--config', config]).value('crawl'), 'top');
  const more = { ...env, CRAWLSTREAM_CONCURRENCY: '30' };
  assert.equal(effective(['fetcher'], more).value('concurrency'), 30);
  const flag = effective(['fetcher', '--concurrency', '40'], more);
  assert.deepEqual([flag.value('concurrency'), flag.from('concurrency'), flag.from('crawl')], [40, 'flag', 'file']);
});

test('a file means the same as the command line: numbers, switches, lists, in JSON and YAML', () => {
  const given = {
    brokers: ['a:1', 'b:2'],
    traps: false,
    include: ['^https', '/news/'],
    retries: [5, 30],
    allowPrivate: true,
    http: 9464,
    keep: '36h',
  };
  const { value } = effective(['crawl', '--config', fileOf(JSON.stringify(given), 'crawl.json')]);
  assert.equal(value('brokers'), 'a:1,b:2');
  assert.equal(value('traps'), false);
  assert.deepEqual(value('include'), ['^https', '/news/']);
  assert.deepEqual(value('retries'), [5000, 30_000]);
  assert.equal(value('allowPrivate'), true);
  assert.deepEqual(value('http'), { host: '127.0.0.1', port: 9464 });
  assert.equal(value('keep'), 36 * 3_600_000);
  assert.ok(Object.isFrozen(readConfig(createProgram(), fileOf('include: [a]')).common['include']));
});

test('a crawl named by --data is not looked for on the brokers of a file, and vice versa', () => {
  const config = fileOf('brokers: a:1\nregistry: http://r:1\ndata: folder\n');
  const inFolder = effective(['stats', '--data', 'other', '--config', config]);
  assert.deepEqual([inFolder.value('brokers'), inFolder.value('data')], [undefined, 'other']);
  const onKafka = effective(['stats', '--brokers', 'b:2', '--config', config]);
  assert.deepEqual([onKafka.value('brokers'), onKafka.value('data')], ['b:2', undefined]);
  assert.equal(effective(['frontier', '--data', 'mine', '--config', config]).value('brokers'), 'a:1');
});

test('an invalid file gives one line per fault: file, key, remedy; and code 2', async () => {
  const cases = [
    ['crawl: [', /: Flow sequence .*line 1.*: correct the YAML there$/],
    ['- a list', /: the whole: write keys and values, as crawlstream config init does$/],
    ['seenMemry: 100', /: seenMemry: unknown setting; did you mean seenMemory\?$/],
    ['flavour: mild', /: flavour: unknown setting; crawlstream config init lists all settings$/],
    ['services: { fetcher: { seen: exact } }', /: services\.fetcher\.seen: unknown setting; /],
    ['services: { fetchr: {} }', /: services\.fetchr: unknown setting; did you mean fetcher\?$/],
    ['maxPages: 0', /: maxPages "0": give a whole number from 1, or none$/],
    ['services: { crawl: { scope: planet } }', /: services\.crawl\.scope "planet": give one of host, domain, all$/],
    ['traps: "no"', /: traps "no": give true or false$/],
    ['contact: { mail: x }', /: contact "\{.*\}": give a text or a number, or a list of them$/],
    ['kafkaPassword: hunter2', /: kafkaPassword: write a secret as a reference: \{ env: NAME \} or \{ file: PATH \}$/],
    ['httpToken: { env: NO_SUCH }', /: httpToken: the environment variable NO_SUCH is not set$/],
    ['httpToken: { file: /no/such }', /: httpToken: ENOENT.*\/no\/such/],
  ] as const;
  const check = async ([text, says]: (typeof cases)[number]) => {
    const file = fileOf(text);
    const { code, stdout, stderr } = await runCommand(['config', 'check', file]);
    assert.deepEqual([code, stdout], [2, ''], text);
    assert.equal(stderr.trimEnd().split('\n').length, 1, stderr);
    assert.ok(stderr.startsWith(`crawlstream: ${file}: `), stderr);
    assert.match(stderr.trimEnd(), says);
    assert.doesNotMatch(stderr, /hunter2/);
  };
  for (let i = 0; i < cases.length; i += 3) await Promise.all(cases.slice(i, i + 3).map(check));
  const both = await runCommand(['config', 'check', fileOf('maxPages: 0\ncrwl: x\n')]);
  assert.equal(both.stderr.trimEnd().split('\n').length, 2, 'all that is wrong is said at once');
  const missing = await runCommand(['crawl', 'http://127.0.0.1:8/', '--config', '/no/such.yaml']);
  assert.match(missing.stderr, /^crawlstream: --config \/no\/such.yaml: ENOENT.*: give a YAML or JSON file/);
  const variable = await runCommand(['config', 'show'], { env: { ...process.env, CRAWLSTREAM_MAX_PAGES: 'all' } });
  assert.match(variable.stderr, /^crawlstream: CRAWLSTREAM_MAX_PAGES "all": give a whole number/);
});

test('a written file holds every setting, is valid as it is, and is never overwritten', async () => {
  const file = join(temporaryFolder(), 'new.yaml');
  assert.equal((await runCommand(['config', 'init', file])).code, 0);
  const text = readFileSync(file, 'utf8');
  assert.match(text, /^# seenMemory:$/m);
  assert.equal(lastJson(await runCommand(['config', 'check', file, '--json']))['settings'], 0);
  assert.match((await runCommand(['config', 'init', file])).stderr, /the file already exists/);
  // With the comment signs gone from the keys, the keys are the program's.
  const bare = text.replaceAll(/^# ([a-zA-Z0-9]+:)( \{.*)?$/gm, '$1').replaceAll(/^services:$/gm, '');
  const keys = [...bare.matchAll(/^([a-zA-Z0-9]+):$/gm)].map(([, key]) => key);
  assert.ok(keys.length > 30, `${keys}`);
});

test('config show says where each value comes from, and hides secrets', async () => {
  const file = fileOf('maxPages: 7\nkafkaPassword: { env: SECRET_OF_TEST }\n');
  const env = {
    ...process.env,
    SECRET_OF_TEST: 'hunter2',
    CRAWLSTREAM_HTTP_TOKEN: 'hunter2-hunter2-hunter2',
    CRAWLSTREAM_OPENSEARCH: 'http://me:hunter2@127.0.0.1:9200',
  };
  const shown = await runCommand(['config', 'show', 'crawl', '--config', file, '--json'], { env });
  assert.equal(shown.code, 0, shown.stderr);
  assert.doesNotMatch(shown.stdout, /hunter2/);
  const settings = lastJson(shown)['settings'] as Record<string, unknown>;
  assert.deepEqual(settings['maxPages'], { value: 7, from: 'file' });
  assert.deepEqual(settings['kafkaPassword'], { value: { env: 'SECRET_OF_TEST' }, from: 'file' });
  assert.deepEqual(settings['httpToken'], { value: '(hidden)', from: 'environment' });
  assert.deepEqual(settings['opensearch'], { value: 'http://me:(hidden)@127.0.0.1:9200', from: 'environment' });
  assert.deepEqual(settings['seen'], { value: 'exact', from: 'default' });
});
