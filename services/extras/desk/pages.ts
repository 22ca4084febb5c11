/** The webmaster page. It works without scripts, and has none. */
import type { DeskReceipt, HostAccount, OrdersInForce } from './desk.ts';
import { type Html, html } from './html.ts';
import { filePath, txtNameOf } from './prove-host.ts';

export interface Frame {
  readonly crawl: string;
  /** The visitor, for forms. */
  readonly form: string;
  /** Hosts that the visitor has proven. */
  readonly hosts: readonly string[];
}

function page({ crawl, hosts }: Frame, title: string, body: Html): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<link rel="stylesheet" href="desk.css">
</head>
<body>
<header><a href=".//">Crawl control</a> for the crawl ${crawl}</header>
<main>
<h1>${title}</h1>
${body}
</main>
<footer>${hosts.length === 0 ? null : html`Verified: ${hosts.map((host) => html` <a href="${addressOf(host)}">${host}</a>`)}`}</footer>
</body>
</html>
`.text;
}

export function startPage(frame: Frame): string {
  return page(
    frame,
    'Control how we crawl your host',
    html`<p>Enter your host and prove that you control it. Then you can see our requests to it, slow the crawl down, pause it, or
remove the host.</p>
<form action="host" method="get">
<label>Host <input name="host" required maxlength="260" autocomplete="off" placeholder="www.example.org"></label>
<button>Continue</button>
</form>`,
  );
}

export function provePage(frame: Frame, host: string, challenge: string, problem: string | null): string {
  const name = txtNameOf(host);
  const way = (how: string, text: Html, button: string) => html`<section>
${text}
<pre>${challenge}</pre>
<form action="prove" method="post">${hidden(frame, host)}
<button name="how" value="${how}">${button}</button></form>
</section>`;
  return page(
    frame,
    `Verify ${host}`,
    html`${problem === null ? null : html`<p class="problem" role="alert">${problem}</p>`}
<p>Publish this line in one of two places. It is valid only for you and this host, so nobody else can use it.
Remove it when you are done.</p>
${name === null ? null : way('dns', html`<h2>In the DNS</h2><p>Add this line as a TXT record at <code>${name}</code></p>`, 'Check the DNS')}
${way('file', html`<h2>Or in a file</h2><p>Add it as a line of <code>${host}${filePath}</code>, served without a redirect</p>`, 'Check the file')}`,
  );
}

export function hostPage(
  frame: Frame,
  host: string,
  inForce: OrdersInForce,
  account: HostAccount,
  note: Html | null,
): string {
  return page(
    frame,
    host,
    html`${note}
<section><h2>Controls</h2>
<p>${standText(inForce)}</p>
${inForce.orders.removed ? null : orderForms(frame, host, inForce)}
</section>
<section><h2>Our visits</h2>
<pre class="account">${account.text}</pre>
<h2>Newest requests</h2>
<table class="requests"><thead><tr><th>time (UTC)<th>kind<th>URL<th>status<th>bytes<th>robots.txt<th>User-Agent</tr></thead><tbody>
${account.requests.map(
  ({ atMs, kind, url, status, bytes, robotsHash, userAgent }) =>
    html`<tr><td>${time(atMs)}<td>${kind}<td>${url}<td>${status === 0 ? 'none' : status}<td>${bytes}<td>${robotsHash}<td>${userAgent}</tr>
`,
)}</tbody></table>
<h2>Copies of robots.txt, by hash</h2>
<table class="copies"><thead><tr><th>hash<th>URL<th>fetched (UTC)<th>status</tr></thead><tbody>
${account.copies.map(({ hash, url, atMs, status }) => html`<tr><td>${hash}<td>${url}<td>${time(atMs)}<td>${status}</tr>\n`)}</tbody></table>
</section>`,
  );
}

export function receiptNote({ order, at, control }: DeskReceipt, signed: string): Html {
  return html`<section class="done" role="status"><h2>Ordered: ${order}</h2>
<p>${at} (event ${control.join(', ')}). A running crawl obeys within seconds, a stopped crawl at its next start.
Your receipt is a JSON Web Signature:</p>
<pre id="receipt">${signed}</pre></section>`;
}

export function problemNote(text: string): Html {
  return html`<p class="problem" role="alert">${text}</p>`;
}

export function problemPage(frame: Frame, text: string): string {
  return page(frame, 'Request failed', problemNote(text));
}

function standText({ orders, policyMs }: OrdersInForce): string {
  const { delayMs, paused, removed } = orders;
  if (removed) return 'This host was removed: we no longer fetch it, and its pages are deleted.';
  const waits = `The crawl waits ${Math.max(policyMs, 0) / 1_000} s between two requests`;
  const own = delayMs === null ? '' : `, and ${delayMs / 1_000} s by an order for this host`;
  if (paused === 'no') return `${waits}${own}.`;
  return `${waits}${own}. It is paused${paused === 'here' ? '' : ' by the operator of the crawl'}.`;
}

function orderForms(frame: Frame, host: string, { orders }: OrdersInForce): Html {
  const button = (order: string, text: string, fields: Html | null = null) =>
    html`<form action="order" method="post">${hidden(frame, host)}<input type="hidden" name="order" value="${order}">${fields}<button>${text}</button></form>
`;
  const isPaused = orders.paused !== 'no';
  return html`${button(
    'delay',
    'Set the delay',
    html`<label>Minimum seconds between two requests <input name="seconds" inputmode="decimal" maxlength="12" autocomplete="off"></label> `,
  )}${isPaused ? button('resume', 'Resume') : button('pause', 'Pause')}${button(
    'remove',
    'Remove this host',
    html`<label><input type="checkbox" name="sure" value="yes" required> remove all its pages; this cannot be undone</label> `,
  )}`;
}

function hidden({ form }: Frame, host: string): Html {
  return html`<input type="hidden" name="form" value="${form}"><input type="hidden" name="host" value="${host}">`;
}

function addressOf(host: string): string {
  return `host?host=${encodeURIComponent(host)}`;
}

function time(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19).replace('T', ' ');
}
