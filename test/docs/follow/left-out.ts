/** What is not followed, each with its reason: it is named in the report, never passed over in silence. */
export interface Place {
  readonly page: string;
  readonly text: string;
  /** A checkout, or a package that was installed. */
  readonly from: 'clone' | 'package';
  readonly hasKafka: boolean;
}

interface Rule {
  readonly isIt: (place: Place) => boolean;
  readonly why: string;
}

const text = (pattern: RegExp) => (place: Place) => pattern.test(place.text);

const rules: readonly Rule[] = [
  { isIt: text(/^(docker|export CONTACT)\b/), why: 'needs Docker: npm run verify:containers follows it' },
  {
    isIt: text(/^CONTACT=/),
    why: 'needs Docker and a cluster: test/deploy/local-run.integration.test.ts follows it with fakes',
  },
  {
    isIt: ({ page, text }) => page === 'deploy/RUNBOOK.md' && text.startsWith('kubectl '),
    why: 'needs a cluster that the crawl runs on: who has one follows it there',
  },
  {
    isIt: text(/^helm /),
    why: 'needs a cluster: test/deploy/install.integration.test.ts types it against an API server that keeps objects',
  },
  { isIt: text(/^(kubectl|kind|strimzi)\b/), why: 'needs a cluster: npm run verify:containers follows it' },
  { isIt: text(/kafka_2\.13/), why: 'fetches a broker: another one runs at its address' },
  { isIt: text(/npm (ci && npm )?test\b/), why: 'is what CI runs' },
  { isIt: text(/npm run mutate\b/), why: 'tries mutants for an hour: verify:full does' },
  { isIt: text(/keep-release/), why: 'is typed once for each release, by who makes it' },
  { isIt: text(/--from-cc\b/), why: 'needs an index of Common Crawl: its own test has one' },
  {
    isIt: text(/--data archive-a\b/),
    why: 'needs the folder of an archive that runs beside brokers: its own test has one',
  },
  { isIt: text(/^(\.\/|.*\bkafka-[a-z-]+\.sh\b|k6 |go |java |python3? |pip )/), why: 'is a tool of others' },
  {
    isIt: text(/s3:\/\/|--opensearch|--otlp/),
    why: 'needs a bucket, OpenSearch or a collector: their own tests have one',
  },
  { isIt: text(/--with render|crawlstream (-- )?render\b/), why: 'needs the image with the browser' },
  { isIt: text(/crawl-data\/web\b|site3\.test/), why: 'speaks of a synthetic web whose ports differ each time' },
  { isIt: text(/frontier-[ab]:\d|urlfrontier|:900\d\b/), why: 'speaks of machines of the reader' },
  { isIt: text(/bot\.example\.org\b/), why: 'asks a site of the reader' },
  { isIt: text(/key\.pem|statement\.json/), why: 'needs a key of the reader' },
  { isIt: text(/\bjudge\b/), why: 'waits for a crawler of the reader' },
  {
    isIt: text(/(?:^|\s)(HOST|URL|DIR|FILE|NAME|TOPIC|GROUP|ID|N|COMMAND)(?=\s|$)|\$[A-Z_]+|…/),
    why: 'leaves words to the reader',
  },
  {
    isIt: ({ from, text }) => from === 'package' && /^npm (ci|start|run (?!-s crawlstream))/.test(text),
    why: 'needs a checkout',
  },
  {
    isIt: ({ hasKafka, text }) => !hasKafka && /localhost:(9092|8081|9464)/.test(text),
    why: 'needs a broker (Java and Maven)',
  },
];

/** undefined: it is to be followed. */
export function leftOut(place: Place): string | undefined {
  return rules.find(({ isIt }) => isIt(place))?.why;
}

/** Commands that go on until they are stopped. */
export function isService(text: string): boolean {
  const [, name = '', rest = ''] = /crawlstream (?:-- )?([a-z]+)(.*)$/.exec(text) ?? [];
  if (['frontier', 'fetcher', 'dashboard', 'desk', 'replay', 'urlfrontier'].includes(name)) return true;
  if (['dedup', 'index', 'archive', 'graph'].includes(name)) return rest.includes('--brokers');
  return name === 'crawl' && rest.includes('--recrawl');
}
