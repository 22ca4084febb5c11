/** Parses a line of a dump. Throws INVALID_RECORD with the line, the field and its expected value. */
import { outcomeKinds } from '../../../schemas/types.ts';
import { CrawlstreamError } from '../../errors.ts';
import { noHistory } from '../../policy/recrawl/history.ts';
import { type HostFacts, newHostFacts } from '../changes/changes.ts';
import { finalStatuses } from '../changes/url-record-bytes.ts';
import { trapQueueFirst, trapQueues } from '../queues/held-queues.ts';
import { type DumpHead, type DumpLine, dumpVersion } from './dump-line.ts';

type Fields = Record<string, unknown>;

export function parseDumpLine(text: string, number: number): DumpLine {
  const line = withTodaysNames(parse(text, number)) as Fields;
  if ('url' in line) checkUrl(line, number);
  else if ('host' in line) checkHost(line, number);
  else if ('budget' in line) {
    for (const field of ['period', 'used']) need(number, line, field, isWhole, 'a whole number');
    for (const field of ['hosts', 'sources']) need(number, line, field, Array.isArray, 'a list');
  } else if ('links' in line) checkFields(line, 'links', 'links', number);
  else if ('letter' in line) checkFields(line, 'letter', 'original', number);
  else {
    const known = ['partition', 'repeated', 'tallies', 'end'].some((name) => name in line);
    if (!known)
      throw invalid(
        number,
        `${Object.keys(line)[0] ?? 'nothing'} is not the first field of any line that this release knows`,
      );
  }
  return line as unknown as DumpLine;
}

/** The first line. Throws UNSUPPORTED on a newer format. */
export function parseDumpHead(text: string): DumpHead {
  const line = parse(text, 1);
  if (line['dump'] !== 'crawlstream')
    throw invalid(1, 'this file is not a crawlstream dump: a dump starts with {"dump"');
  checkHead(line, 1);
  return line as unknown as DumpHead;
}

function checkHead(line: Fields, number: number): void {
  const { version } = line;
  if (typeof version === 'number' && version > dumpVersion) {
    const message = `the dump has format ${version}, but this release reads formats up to ${dumpVersion}: run a newer crawlstream`;
    throw new CrawlstreamError('UNSUPPORTED', message);
  }
  for (const field of ['id', 'crawl', 'keyMode', 'fingerprintKey']) need(number, line, field, isText, 'a text');
  for (const field of ['version', 'partitions', 'seenKeyVersion']) need(number, line, field, isWhole, 'a whole number');
  need(number, line, 'seeds', Array.isArray, 'a list');
}

function parse(text: string, number: number): Fields {
  let line: unknown;
  try {
    line = JSON.parse(text);
  } catch (cause) {
    throw invalid(number, `it is not JSON (${(cause as Error).message})`, cause);
  }
  if (typeof line !== 'object' || line === null || Array.isArray(line))
    throw invalid(number, 'it is not a JSON object');
  return line as Fields;
}

/** Format 1 called a front queue `band`, in URLs, in visits and in traps; and the slots of a host `lanes`. */
const namesOfFormat1: Readonly<Record<string, string>> = { band: 'frontQueue', lanes: 'hostSlots' };

function withTodaysNames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withTodaysNames);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, of]) => [namesOfFormat1[name] ?? name, withTodaysNames(of)]),
  );
}

const lastFrontQueue = trapQueueFirst + trapQueues - 1;
const statuses: ReadonlySet<unknown> = new Set(['queued', 'waiting', 'known', ...finalStatuses]);
const kinds: ReadonlySet<unknown> = new Set(outcomeKinds);
const counts = ['depth', 'hop', 'attempts', 'expiries', 'dueAtMs', 'http', 'atMs'] as const;

function checkUrl(line: Fields, number: number): void {
  const { url, status } = line;
  if (!isText(url) || !/^https?:\/\/[^/]/.test(url)) throw invalid(number, '"url" is not an http or https URL');
  if (!statuses.has(status)) throw invalid(number, `"status" is not one of ${[...statuses].join(', ')}`);
  for (const field of counts) if (field in line) need(number, line, field, isWhole, 'a whole number');
  if ('spelling' in line && !isPath(line['spelling']))
    throw invalid(number, '"spelling" is not a path that starts with /');
  const { tags = [] } = line;
  if (!Array.isArray(tags) || !tags.every(isText)) throw invalid(number, '"tags" is not a list of strings');
  if (status === 'queued' || status === 'waiting') {
    if ('payload' in line) need(number, line, 'payload', isText, 'a text');
    if (!isWhole(line['frontQueue']) || line['frontQueue'] > lastFrontQueue)
      throw invalid(number, `"frontQueue" is not a number from 0 to ${lastFrontQueue}`);
  } else if ('visits' in line) checkVisits(line, number);
  else if ('outcome' in line && !kinds.has(line['outcome'])) {
    throw invalid(number, `"outcome" is not one of ${outcomeKinds.join(', ')}`);
  }
}

const visitNumbers = ['frontQueue', 'visitedAtMs', 'changedAtMs', 'failures', 'dueAtMs'] as const;

function checkVisits(line: Fields, number: number): void {
  const visits = (line['visits'] ?? {}) as Fields;
  const history = (visits['history'] ?? {}) as Fields;
  const isRight =
    line['status'] !== 'known' &&
    visitNumbers.every((name) => isWhole(visits[name])) &&
    Object.keys(noHistory).every((name) => isWhole(history[name])) &&
    typeof visits['signature'] === 'string' &&
    isGain(visits['gain']);
  if (!isRight) throw invalid(number, '"visits" does not have the fields of a visit history');
}

/** Absent, or what visits gained (policy/recrawl/gain.ts). */
function isGain(gain: unknown): boolean {
  if (gain === undefined) return true;
  return ['urls', 'seconds', 'visits'].every((name) => isWhole((gain as Fields | null)?.[name]));
}

function checkHost(line: Fields, number: number): void {
  need(number, line, 'host', isText, 'a text');
  const hostSlots = line['hostSlots'] as Fields | undefined;
  if (hostSlots !== undefined) {
    const { own, most, freeAtMs } = hostSlots;
    const isRight = Number.isSafeInteger(own) && isWhole(most) && Array.isArray(freeAtMs) && freeAtMs.every(isWhole);
    if (!isRight) throw invalid(number, '"hostSlots" lacks "own", "most" or "freeAtMs" as whole numbers');
  }
  const { purged = [] } = line;
  if (!Array.isArray(purged) || !purged.every(isWhole))
    throw invalid(number, '"purged" is not a list of whole numbers');
  const facts = (line['facts'] ?? {}) as Fields;
  for (const [name, value] of Object.entries(facts)) {
    const usual = newHostFacts[name as keyof HostFacts];
    if (usual === undefined) throw invalid(number, `"facts.${name}" is not a fact that this release knows`);
    if (typeof value !== typeof usual) throw invalid(number, `"facts.${name}" is not a ${typeof usual}`);
  }
}

/** The other fields of a topic's record are checked by its schema. */
function checkFields(line: Fields, name: 'links' | 'letter', field: string, number: number): void {
  const { hostKey, [field]: value } = (line[name] ?? {}) as Fields;
  const isRight = typeof hostKey === 'string' && (name === 'links' ? Array.isArray(value) : typeof value === 'string');
  if (!isRight) throw invalid(number, `"${name}" lacks "hostKey" or "${field}"`);
}

function need(number: number, line: Fields, field: string, is: (value: unknown) => boolean, what: string): void {
  if (!is(line[field])) throw invalid(number, `"${field}" is not ${what}`);
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function isPath(value: unknown): boolean {
  return isText(value) && value.startsWith('/');
}

function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function invalid(number: number, why: string, cause?: unknown): CrawlstreamError {
  const remedy = 'repeat the dump, or correct that line';
  return new CrawlstreamError('INVALID_RECORD', `line ${number} of the dump: ${why}; ${remedy}`, cause);
}
