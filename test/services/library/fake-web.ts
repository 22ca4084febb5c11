/** A web behind a `fetch`: nobody has a robots.txt, and what was asked for is told. */
export interface FakeAnswer {
  readonly html?: string;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
}

type Init = { readonly headers: Readonly<Record<string, string>>; readonly signal: AbortSignal };

export function fakeWeb(answer: (url: string, init: Init) => FakeAnswer | Promise<FakeAnswer>) {
  const asked: string[] = [];
  return {
    asked,
    async fetch(url: string, init: Init): Promise<Response> {
      asked.push(url);
      if (url.endsWith('/robots.txt')) return new Response(null, { status: 404 });
      const { html, body, status = 200, headers = {} } = await answer(url, init);
      return new Response(body ?? html ?? null, { status, headers: { 'content-type': 'text/html', ...headers } });
    },
  };
}
