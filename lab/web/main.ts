/**
 * Runs a synthetic web in a separate process.
 *
 *   node --import tsx lab/web/main.ts --hosts 200 --pages 100 --seed 1 --preset full --port 0
 *
 * Prints one JSON line once it listens: port, seeds, a `--resolve` value for the crawler, the control URL. Ends on
 * SIGTERM or SIGINT, after --max-seconds, and with --exit-with-stdin when its standard input ends, as it does when a
 * parent dies.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseArgs } from 'node:util';
import { makeCertificate, type WebCertificate } from './certificate.ts';
import { createControl } from './control.ts';
import { type PresetName, presets, type WebOptions } from './options.ts';
import { planWeb, type WebPlan } from './plan.ts';
import { type RunningWeb, startWeb } from './server.ts';

const usage = `Options:
  --preset NAME           what the web is made of: plain, full (the default) or messy
  --seed N --hosts N --pages N
  --set NAME=VALUE        any other option of the web, such as slowMs=50 or hostileShare=0.1; repeatable
  --addresses             a 127.x.y.z address for each host in place of names
  --port N                default 0: any free port
  --log FILE              append a JSON line per request
  --max-seconds N         default 900
  --exit-with-stdin       end when standard input ends
`;

function readArguments(args: string[]) {
  const { values } = parseArgs({
    args,
    options: {
      preset: { type: 'string', default: 'full' },
      seed: { type: 'string' },
      hosts: { type: 'string' },
      pages: { type: 'string' },
      set: { type: 'string', multiple: true, default: [] },
      addresses: { type: 'boolean', default: false },
      port: { type: 'string', default: '0' },
      log: { type: 'string' },
      'max-seconds': { type: 'string', default: '900' },
      'exit-with-stdin': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (!(values.preset in presets)) throw new RangeError(`--preset must be plain, full or messy, not ${values.preset}`);
  const changes: Record<string, number | string> = {};
  const change = (option: string, name: string, value: string | undefined) => {
    if (value === undefined) return;
    if (!(name in presets.plain) || name === 'naming')
      throw new RangeError(`${option}: no option of a web has that name`);
    if (value.trim() === '' || Number.isNaN(Number(value)))
      throw new RangeError(`${option} must be a number, not "${value}"`);
    changes[name] = Number(value);
  };
  change('--seed', 'seed', values.seed);
  change('--hosts', 'hosts', values.hosts);
  change('--pages', 'pagesPerHost', values.pages);
  for (const setting of values.set) {
    const [name = '', value = ''] = setting.split('=', 2);
    change(`--set ${name}`, name, value);
  }
  if (values.addresses) changes['naming'] = 'addresses';
  return {
    help: values.help,
    web: { preset: values.preset as PresetName, ...(changes as Partial<WebOptions>) },
    port: wholeNumber('--port', values.port, 0, 65_535),
    // A timer can't be set for longer than 2^31 ms.
    maxSeconds: wholeNumber('--max-seconds', values['max-seconds'], 1, 2_000_000),
    exitWithStdin: values['exit-with-stdin'],
    logFile: values.log,
  };
}

function wholeNumber(option: string, value: string, least: number, most: number): number {
  const number = Number(value);
  if (value.trim() === '' || !Number.isInteger(number) || number < least || number > most)
    throw new RangeError(`${option} must be a whole number from ${least} to ${most}, not "${value}"`);
  return number;
}

async function main(): Promise<void> {
  let plan: WebPlan;
  let settings: ReturnType<typeof readArguments>;
  try {
    settings = readArguments(process.argv.slice(2));
    if (settings.help) {
      process.stdout.write(usage);
      return;
    }
    plan = planWeb(settings.web);
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n${usage}`);
    process.exitCode = 2;
    return;
  }

  let web: RunningWeb;
  let certificate: WebCertificate | undefined;
  const control = createControl(plan, () => web);
  try {
    if (plan.scheme === 'https') certificate = makeCertificate(plan);
    web = await startWeb(plan, {
      port: settings.port,
      ...(certificate === undefined ? {} : { tls: certificate }),
      ...(settings.logFile === undefined ? {} : { logFile: settings.logFile }),
      control,
    });
  } catch (error) {
    const isTls = plan.scheme === 'https' && certificate === undefined;
    const remedy = isTls ? 'a web over TLS needs openssl' : 'choose another --port, or 0 for any';
    process.stderr.write(`cannot listen: ${(error as Error).message}; ${remedy}\n`);
    process.exitCode = 1;
    return;
  }

  let ending = false;
  const end = async () => {
    if (ending) return;
    ending = true;
    certificate?.remove();
    await web.close();
    process.exit(0);
  };
  process.once('SIGTERM', end).once('SIGINT', end);
  setTimeout(end, settings.maxSeconds * 1000);
  if (settings.exitWithStdin) process.stdin.resume().once('end', end).once('close', end).once('error', end);

  const { port } = web;
  const named = plan.options.naming === 'names';
  const ready = {
    port,
    pid: process.pid,
    control: `http://127.0.0.1:${certificate === undefined ? port : await listen(control)}/__control/`,
    ...(certificate === undefined ? {} : { certificate: certificate.file }),
    resolve: named ? [`*.test:${port}:127.0.0.1`] : [],
    seeds: plan.seeds(port),
    hosts: plan.hosts.length,
    options: plan.options,
  };
  process.stdout.write(`${JSON.stringify(ready)}\n`);
}

/** The control of a web over TLS has a separate port. */
async function listen(handle: ReturnType<typeof createControl>): Promise<number> {
  const server = createServer(handle).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

await main();
