/** The report of a visit as a page of HTML: scores by family, and each failed check with its requests. */
import type { SuiteRequest } from './check/check.ts';
import { type CheckResult, headerOf, type SuiteCard } from './check/verdict.ts';

const style = `body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#222}
table{border-collapse:collapse;width:100%;margin:.5rem 0 1.5rem}th,td{text-align:left;padding:.2rem .6rem;border-bottom:1px solid #ddd;vertical-align:top}
td.n,th.n{text-align:right}h3{margin:1.5rem 0 .2rem}code{font-size:.9em}.fail{color:#a11}.none{color:#777}summary{cursor:pointer}`;

export function reportHtml(card: SuiteCard): string {
  const failed = card.results.filter(({ verdict }) => verdict.result === 'fail');
  const notReached = card.results.filter(({ verdict }) => verdict.result === 'not reached');
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Crawler suite: ${card.score} %</title><style>${style}</style></head><body>
<h1>Crawler suite: ${card.score} %</h1>
<p>${escaped(card.agents.join(', '))}</p>
<p>${card.passed} checks passed, ${card.failed} failed, ${card.notReached} not reached. ${card.requests} requests in ${card.seconds} s, with a delay of ${card.pace.delayMs} ms.</p>
<table><tr><th>Family</th><th class="n">Score</th><th class="n">Passed</th><th class="n">Failed</th><th class="n">Not reached</th></tr>
${card.families.map((one) => `<tr><td>${one.name}</td><td class="n">${one.score === null ? '–' : `${one.score} %`}</td><td class="n">${one.passed}</td><td class="n">${one.failed}</td><td class="n">${one.notReached}</td></tr>`).join('\n')}
</table>
<h2>Failed checks</h2>
${failed.length === 0 ? '<p>None.</p>' : failed.map(failure).join('\n')}
<h2>Checks not reached</h2>
<p>The crawler did not send the requests that these checks judge. A check counts as failed only if reaching a page is its point.</p>
<ul>${notReached.map(({ check, verdict, counts }) => `<li><code>${check.id}</code>: ${escaped(check.title)}${counts ? ' (counts as failed)' : ''}. ${verdict.result === 'not reached' ? escaped(verdict.why) : ''}</li>`).join('\n')}</ul>
<details><summary>Passed checks</summary><ul>
${card.results
  .filter(({ verdict }) => verdict.result === 'pass')
  .map(({ check }) => `<li><code>${check.id}</code>: ${escaped(check.title)}</li>`)
  .join('\n')}
</ul></details>
</body></html>
`;
}

function failure({ check, verdict }: CheckResult): string {
  if (verdict.result !== 'fail') return '';
  return `<h3 id="${check.id}"><code>${check.id}</code> <span class="fail">failed</span></h3>
<p>${escaped(check.title)} (${check.level}, weight ${check.weight}, <a href="${escaped(check.source)}">source</a>). ${escaped(verdict.why)}</p>
<table><tr><th class="n">Start, ms</th><th class="n">End, ms</th><th>Request</th><th class="n">Status</th><th class="n">Bytes</th><th>User-Agent</th></tr>
${verdict.requests.map(requestRow).join('\n')}
</table>`;
}

function requestRow(request: SuiteRequest): string {
  const { startMs, endMs, method, key, status, bytes } = request;
  const end = Number.isFinite(endMs) ? endMs.toFixed(0) : 'open';
  return `<tr><td class="n">${startMs.toFixed(0)}</td><td class="n">${end}</td><td><code>${escaped(`${method} ${key}`)}</code></td><td class="n">${status}</td><td class="n">${bytes}</td><td>${escaped(headerOf(request, 'user-agent') ?? '(none)')}</td></tr>`;
}

function escaped(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');
}
