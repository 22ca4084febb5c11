/** `sites.ts PORT PAGES ADDRESS …`: a site on each address; a line of JSON for each request that arrives. */
import { createServer } from 'node:http';

const [port, pages, ...addresses] = process.argv.slice(2);
const links = Array.from({ length: Number(pages) }, (_, page) => `<a href="/p${page}">${page}</a>`).join('');
for (const address of addresses) {
  const server = createServer(({ url }, response) => {
    process.stdout.write(`${JSON.stringify({ atMs: Date.now(), host: address, url })}\n`);
    if (url === '/robots.txt') return void response.writeHead(404).end();
    response.setHeader('content-type', 'text/html');
    response.end(`<title>${url}</title>${url === '/' ? links : ''}`);
  });
  await new Promise<void>((resolve) => server.listen(Number(port), address, resolve));
}
process.stdout.write('listening\n');
