/** The crawlers that get a card: how each is installed in a folder, and how its own documents say to crawl politely. */

export interface CardedCrawler {
  readonly name: string;
  /** Page of its documents that the settings come from. */
  readonly settingsFrom: string;
  /** Shell commands, run in a temporary folder. `{here}` is the folder of the programs in crawlers/. */
  readonly install: readonly string[];
  /** Prints a line with the version. */
  readonly version: string;
  /** Run after `--` of the suite. */
  readonly command: string;
  /** Minutes after which the visit ends. Crawlers that ask one host after the other need more than five. */
  readonly minutes: number;
}

const agent = (name: string) => `'${name}Card/1.0 (+https://crawler.example/about)'`;
const unpack = (...names: readonly string[]) => [
  `apt-get download -q ${names.join(' ')}`,
  'for d in *.deb; do dpkg -x $d .; done',
];
const libraries = 'LD_LIBRARY_PATH=usr/lib/x86_64-linux-gnu:usr/lib/aarch64-linux-gnu';

export const cardedCrawlers: readonly CardedCrawler[] = [
  {
    name: 'crawlstream',
    settingsFrom: 'docs/tutorial.md',
    install: [],
    version: 'node {root}/dist/bundle/crawlstream.js --version',
    command:
      "node {root}/dist/bundle/crawlstream.js crawl {seed} --resolve '*.test:{port}:127.0.0.1' --ca {ca} --scope all --delay 250ms --retries 0.5s,1s,2s --contact me@crawler.example --data data",
    minutes: 5,
  },
  {
    name: 'scrapy',
    settingsFrom: 'https://docs.scrapy.org/en/latest/topics/broad-crawls.html',
    install: ['python3 -m venv py', 'py/bin/pip install -q scrapy'],
    version: 'py/bin/scrapy version',
    command: 'py/bin/scrapy runspider {here}/scrapy_spider.py',
    minutes: 5,
  },
  {
    name: 'crawlee',
    settingsFrom: 'https://crawlee.dev/js/docs/guides/scaling-crawlers',
    install: ['npm init -y', 'npm install --no-audit --no-fund crawlee@3', 'cp {here}/crawlee.mjs .'],
    version: 'node -p "require(\'crawlee/package.json\').version"',
    command: 'node crawlee.mjs',
    minutes: 5,
  },
  {
    name: 'colly',
    settingsFrom: 'https://go-colly.org/docs/examples/rate_limit/',
    install: [
      'cp {here}/colly.go main.go',
      'go mod init card',
      'go get github.com/gocolly/colly/v2@v2.3.0',
      'go build -o colly .',
    ],
    version: 'go list -m github.com/gocolly/colly/v2',
    command: './colly',
    minutes: 10,
  },
  {
    name: 'wget',
    settingsFrom: 'https://www.gnu.org/software/wget/manual/html_node/Recursive-Download.html',
    install: [],
    version: 'wget --version | head -1',
    command: `wget --recursive --level=inf --span-hosts --wait=0.25 --no-verbose --delete-after --directory-prefix=pages --user-agent=${agent('Wget')} {seed}`,
    minutes: 10,
  },
  {
    name: 'httrack',
    settingsFrom: 'https://www.httrack.com/html/fcguide.html',
    install: unpack('httrack', 'libhttrack2'),
    version: `${libraries} usr/bin/httrack --version`,
    command: `${libraries} usr/bin/httrack {seed} -O pages -P {proxyhost} -q -e -s2 -c4 -%c4 -I0 -F ${agent('HTTrack')} '+*'`,
    minutes: 10,
  },
  {
    name: 'simplecrawler',
    settingsFrom: 'https://www.npmjs.com/package/simplecrawler',
    install: ['npm init -y', 'npm install --no-audit --no-fund simplecrawler', 'cp {here}/simplecrawler.cjs .'],
    version: 'node -p "require(\'simplecrawler/package.json\').version"',
    command: 'node simplecrawler.cjs',
    minutes: 10,
  },
];
