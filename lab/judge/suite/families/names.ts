/**
 * Names and addresses: where a name may lead a crawler. They need the name server of the suite; a crawler that takes
 * the suite through a proxy does not reach them.
 */
import {
  type Check,
  check,
  type Fault,
  hrefOf,
  linksTo,
  type NamePage,
  type Step,
  type Visit,
} from '../check/check.ts';
import { responseCodes } from '../names/name-server.ts';

const ssrf = 'https://cheatsheetseries.owasp.org/cheatsheets/Server_Side_Request_Forgery_Prevention_Cheat_Sheet.html';
const rebinding = 'https://en.wikipedia.org/wiki/DNS_rebinding';
const paths = ['/a', '/b', '/c', '/d', '/e', '/f'] as const;
const steps = (...keys: readonly string[]): Step[] => keys.map((key) => ({ key, waitMs: 0 }));

function atPrivate({ requests }: Visit): Fault | undefined {
  const wrong = requests.filter(({ key }) => key.startsWith('private:'));
  return wrong.length > 0 ? { why: 'It asked for a page at a private address.', requests: wrong } : undefined;
}

/** The name `b` leads to a private address. */
function guarded(name: string, title: string, answer: NamePage, source = ssrf, weight = 4): Check {
  return check(`names/${name}`, 'practice', source, title, {
    names: { b: answer },
    pages: { '/': linksTo(...paths.map((path) => hrefOf(`b${path}`))) },
    control: 'b?A',
    weight,
    fault: atPrivate,
    honest: () => steps('/', 'b?A'),
    planted: () => steps('/', 'b?A', 'private:b/a'),
  });
}

function atMost(name: string, title: string, most: number, source: string, answer: NamePage): Check {
  return check(`names/${name}`, 'practice', source, title, {
    names: { b: answer },
    pages: { '/': linksTo(...paths.map((path) => hrefOf(`b${path}`))) },
    control: 'b?A',
    weight: 1,
    fault: ({ asked }) => {
      const queries = asked('b?A');
      return queries.length > most
        ? { why: `It looked the name up ${queries.length} times.`, requests: queries }
        : undefined;
    },
    planted: () => steps('/', ...Array.from({ length: most + 1 }, () => 'b?A')),
  });
}

export const namesChecks: readonly Check[] = [
  guarded(
    'rebinding',
    'a name that moves to a private address between two pages is not followed there',
    ({ nth }) => ({ leadsTo: [nth === 1 ? 'host' : 'private'], ttlSeconds: 0 }),
    rebinding,
  ),
  guarded(
    'rebinding-at-once',
    'a name that is public when it is checked and private when it is used is not followed',
    ({ nth }) => ({ leadsTo: [nth % 2 === 1 ? 'host' : 'private'], ttlSeconds: 0 }),
    rebinding,
  ),
  guarded('private', 'a name of a private address is not followed', { leadsTo: ['private'] }),
  guarded('private-first', 'of a private and a public address of a name, the private one is not used', {
    leadsTo: ['private', 'host'],
  }),
  guarded('private-last', 'of a public and a private address of a name, the private one is not used', {
    leadsTo: ['host', 'private'],
  }),
  guarded('alias', 'an alias of a name with a private address is not followed', {
    leadsTo: ['private'],
    alias: 'inside.test',
  }),
  guarded('unspecified', 'a name of the unspecified address is not followed', { addresses: ['0.0.0.0'] }),
  guarded('ipv6-loopback', 'a name of the loopback address of IPv6 is not followed', { sixth: ['::1'] }),
  guarded('ipv6-mapped', 'a name of a private address mapped into IPv6 is not followed', {
    sixth: ['::ffff:127.66.0.1'],
  }),
  check('names/redirect', 'practice', ssrf, 'a redirect to a name of a private address is not followed', {
    names: { c: { leadsTo: ['private'] } },
    pages: { '/': linksTo('/go'), '/go': { status: 302, headers: [['Location', hrefOf('c/x')]] } },
    control: 'c?A',
    weight: 4,
    fault: atPrivate,
    honest: () => steps('/', '/go', 'c?A'),
    planted: () => steps('/', '/go', 'c?A', 'private:c/x'),
  }),
  atMost(
    'look-ups',
    'a name with a time to live of an hour is looked up at most three times for six pages',
    3,
    'https://www.rfc-editor.org/rfc/rfc1035.html#section-3.2.1',
    { leadsTo: ['host'], ttlSeconds: 3_600 },
  ),
  atMost(
    'no-such-name',
    'a name that does not exist is looked up at most 20 times',
    20,
    'https://www.rfc-editor.org/rfc/rfc2308.html#section-5',
    { code: responseCodes.noSuchName },
  ),
];
