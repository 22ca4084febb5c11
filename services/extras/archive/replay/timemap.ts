/** TimeMaps (RFC 7089 §5): all captures of a URL, in link-format and JSON, streamed. */
import type { ArchiveIndex, Survey } from './archive-index.ts';
import type { Capture } from './capture.ts';
import { httpDateOf } from './datetime.ts';
import { pathOf } from './rewrite/linker.ts';

/** `origin`: of this server, as the client names it. */
export function mementoOf(origin: string, { time, url }: Pick<Capture, 'time' | 'url'>): string {
  return origin + pathOf(time, url);
}

/** `Link` of a TimeGate and of a Memento (§2.2). */
export function linkHeader(origin: string, url: string, survey: Survey): string {
  const { first, last, before, after, best } = survey;
  const rels = new Map<Capture, string[]>();
  const add = (capture: Capture | null, rel: string) => {
    if (capture !== null) rels.set(capture, [...(rels.get(capture) ?? []), rel]);
  };
  const same = (a: Capture | null, b: Capture) => a !== null && a.file === b.file && a.offset === b.offset;
  const of = (capture: Capture) => [best, first, last, before, after].find((one) => same(one, capture)) ?? capture;
  add(of(first), 'first');
  add(of(last), 'last');
  if (before !== null) add(of(before), 'prev');
  if (after !== null) add(of(after), 'next');
  if (!rels.has(best)) add(best, '');
  const mementos = [...rels].map(([capture, names]) => {
    const rel = [...names, 'memento'].filter((name) => name !== '').join(' ');
    return `<${mementoOf(origin, capture)}>; rel="${rel}"; datetime="${httpDateOf(capture.atMs)}"`;
  });
  return [
    `<${url}>; rel="original"`,
    `<${origin}/timegate/${url}>; rel="timegate"`,
    `<${origin}/timemap/link/${url}>; rel="timemap"; type="application/link-format"`,
    ...mementos,
  ].join(', ');
}

export async function* linkTimeMap(index: ArchiveIndex, origin: string, url: string, survey: Survey) {
  const { first, last, captures } = survey;
  const [from, until] = [httpDateOf(first.atMs), httpDateOf(last.atMs)];
  yield `<${url}>; rel="original",\n`;
  yield `<${origin}/timemap/link/${url}>; rel="self"; type="application/link-format"; from="${from}"; until="${until}",\n`;
  yield `<${origin}/timegate/${url}>; rel="timegate"`;
  let number = 0;
  for await (const capture of index.of(url)) {
    number += 1;
    const rel = `${number === 1 ? 'first ' : ''}${number === captures ? 'last ' : ''}memento`;
    yield `,\n<${mementoOf(origin, capture)}>; rel="${rel}"; datetime="${httpDateOf(capture.atMs)}"`;
  }
  yield '\n';
}

export async function* jsonTimeMap(index: ArchiveIndex, origin: string, url: string, { first, last }: Survey) {
  const mementoText = (capture: Capture) => ({
    datetime: new Date(capture.atMs).toISOString().replace('.000', ''),
    uri: mementoOf(origin, capture),
  });
  const maps = { link_format: `${origin}/timemap/link/${url}`, json_format: `${origin}/timemap/json/${url}` };
  const head = { original_uri: url, timegate_uri: `${origin}/timegate/${url}`, timemap_uri: maps };
  const ends = JSON.stringify({ first: mementoText(first), last: mementoText(last) }).slice(0, -1);
  yield `${JSON.stringify(head).slice(0, -1)},"mementos":${ends},"list":[`;
  let comma = '';
  for await (const capture of index.of(url)) {
    yield `${comma}\n${JSON.stringify({ ...mementoText(capture), status: capture.status })}`;
    comma = ',';
  }
  yield ']}}\n';
}
