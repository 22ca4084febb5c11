/** A program that speaks CGI (RFC 3875), behind a server of this process. */
import { spawn } from 'node:child_process';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { loopbackPort } from '../loopback-port.ts';
import type { RunningSite } from '../site.ts';

export async function serveCgi(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  scriptName: string,
): Promise<RunningSite> {
  const port = await loopbackPort();
  const server = createServer((request, response) =>
    run(request, response, command, args, { ...env, SERVER_PORT: `${port}` }, scriptName),
  );
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${port}${scriptName}/`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function run(
  request: IncomingMessage,
  response: ServerResponse,
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  scriptName: string,
): void {
  const url = new URL(request.url ?? '/', 'http://127.0.0.1');
  if (!`${url.pathname}/`.startsWith(`${scriptName}/`)) {
    response.writeHead(404).end();
    return;
  }
  const child = spawn(command, args, {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: {
      ...env,
      ...{ GATEWAY_INTERFACE: 'CGI/1.1', REQUEST_METHOD: request.method, SERVER_PROTOCOL: 'HTTP/1.1' },
      ...{ SCRIPT_NAME: scriptName, PATH_INFO: decodeURIComponent(url.pathname.slice(scriptName.length)) },
      ...{ QUERY_STRING: url.search.slice(1), HTTP_HOST: request.headers.host, SERVER_NAME: '127.0.0.1' },
      ...{ REQUEST_URI: request.url, REMOTE_ADDR: '127.0.0.1', SERVER_SOFTWARE: 'zoo' },
    },
  });
  const pieces: Buffer[] = [];
  child.stdout.on('data', (piece: Buffer) => pieces.push(piece));
  child.on('error', () => response.writeHead(500).end());
  child.on('close', () => {
    const all = Buffer.concat(pieces);
    const text = all.toString('latin1');
    const end = /\r?\n\r?\n/.exec(text);
    if (response.headersSent) return;
    if (end === null) return void response.writeHead(500).end();
    let status = 200;
    for (const line of text.slice(0, end.index).split(/\r?\n/)) {
      const colon = line.indexOf(':');
      const [name, value] = [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
      if (name === 'status') status = Number.parseInt(value, 10);
      else if (colon > 0) response.setHeader(name, value);
    }
    if (response.hasHeader('location') && status === 200) status = 302;
    response.writeHead(status).end(all.subarray(end.index + end[0].length));
  });
}
