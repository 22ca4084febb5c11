/** Checks Kafka for a crawl: brokers that answer, a registry, topics with their settings, and rights. */
import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { topicsOfCrawl } from '../../../topology/topics.ts';
import { type Finding, fault, ok, warning } from '../../application/extension/finding.ts';
import { type KafkaConnection, withKafka } from '../../hosting/connect/kafka-connection.ts';
import { placeText } from '../../hosting/connect/place-text.ts';
import { risksOf } from '../../hosting/connect/risks-of.ts';
import type { KafkaFlags } from '../../hosting/options/crawl-place.ts';
import { SystemClock } from '../../runtime/clock.ts';
import { registryLogin } from '../../runtime/crawl/kafka-credentials.ts';
import { doctorLimits } from './doctor-limits.ts';

/** With the login of the crawl's own processes (CRAWLSTREAM_REGISTRY_…). */
async function checkRegistry(url: string): Promise<Finding> {
  const remedy = `curl -sS ${url}/subjects`;
  try {
    const status = await registryStatus(new URL('subjects', url.endsWith('/') ? url : `${url}/`));
    if (status === 401 || status === 403) return fault('registry', `${url} refuses the login: ${status}`, remedy);
    return status === 200 ? ok('registry', url) : fault('registry', `${url} answers ${status}`, remedy);
  } catch (error) {
    return fault('registry', `${url} does not answer: ${(error as Error).message}`, remedy);
  }
}

async function registryStatus(url: URL): Promise<number> {
  const { auth, token, ca } = registryLogin(process.env);
  const bearer = token && `Bearer ${await token()}`;
  const basic = auth && `Basic ${Buffer.from(`${auth.username}:${auth.password}`).toString('base64')}`;
  const authorization = bearer ?? basic;
  const signal = AbortSignal.timeout(doctorLimits.patienceMs);
  const get = url.protocol === 'https:' ? https.get : http.get;
  const request = get(url, { signal, ...(ca && { ca }), ...(authorization && { headers: { authorization } }) });
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  response.destroy();
  return response.statusCode ?? 0;
}

/** Returns one finding if the brokers do not answer; else also findings about topics and rights. */
export async function checkKafka(flags: KafkaFlags): Promise<Finding[]> {
  const registry = flags.registry === undefined ? [] : [await checkRegistry(flags.registry)];
  const place = placeText(flags);
  try {
    return await withKafka(flags, new SystemClock(), false, async (connection) => [
      ok('brokers', `${flags.brokers} answer`),
      ...registry,
      ...(await checkTopics(connection, place)),
    ]);
  } catch (error) {
    return [...registry, brokersFinding(error, flags, place)];
  }
}

async function checkTopics({ log, manifest }: KafkaConnection, place: string): Promise<Finding[]> {
  const specs = topicsOfCrawl(manifest.crawl, manifest.partitions);
  const missing: string[] = [];
  for (const { name } of specs) if ((await log.partitionsOf(name)) === 0) missing.push(name);
  if (missing.length > 0)
    return [fault('topics', `missing: ${missing.join(', ')}`, `crawlstream topics create ${place}`)];
  // None is missing, so none is made: settings are compared.
  await log.createTopics(specs);
  const risks = await risksOf(log, manifest);
  const check = `crawlstream topics check ${place}`;
  return [
    ok('topics', `${specs.length} topics of crawl ${manifest.crawl}, ${manifest.partitions} partitions each`),
    ...risks.map(({ text }) => warning('topics', text, check)),
    ok('rights', 'this user may read the topics and their settings; crawlstream acls prints what each role needs'),
  ];
}

function brokersFinding(error: unknown, flags: KafkaFlags, place: string): Finding {
  if (!(error instanceof CrawlstreamError)) throw error;
  const { code, message } = error;
  if (code === 'TOPIC_MISMATCH') return fault('topics', message, `crawlstream topics check ${place}`);
  if (code === 'CRAWL_MISSING')
    return warning('topics', `the brokers answer; ${message}`, `crawlstream topics create ${place}`);
  if (/authori[sz]/i.test(`${code} ${message}`)) return fault('rights', message, `crawlstream acls ${place}`);
  const [first = ''] = (flags.brokers ?? '').split(',');
  const [host = '', port = ''] = [first.slice(0, first.lastIndexOf(':')), first.slice(first.lastIndexOf(':') + 1)];
  return fault('brokers', message, `nc -vz ${host} ${port}`);
}
