/** A browser without scripts: it keeps the desk's cookie, and sends forms as they came. */
import assert from 'node:assert/strict';

export interface Answer {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
}

export class Visitor {
  cookie = '';
  readonly #desk: string;
  readonly #address: string;

  /** `address`: of the visitor, as a proxy in front names it. */
  constructor(desk: string, address: string) {
    this.#desk = desk;
    this.#address = address;
  }

  async get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    return this.#taken(
      await fetch(this.#desk + path, { redirect: 'manual', headers: { ...this.#headers, ...headers } }),
    );
  }

  async post(path: string, fields: Readonly<Record<string, string>>, headers: Record<string, string> = {}) {
    const body = new URLSearchParams(fields);
    return this.#taken(
      await fetch(this.#desk + path, {
        ...{ method: 'POST', redirect: 'manual', body },
        headers: { ...this.#headers, ...headers },
      }),
    );
  }

  /** The line that is to be published for a host, and the seal of this visitor's forms. */
  async asked(host: string): Promise<{ readonly line: string; readonly form: string }> {
    const { text } = await this.get(`/host?host=${encodeURIComponent(host)}`);
    const line = /crawlstream-desk=[\w.-]+/.exec(text)?.[0];
    const form = /name="form" value="([\w-]+)"/.exec(text)?.[1];
    assert.ok(line !== undefined && form !== undefined, text);
    return { line, form };
  }

  async prove(host: string, how: 'dns' | 'file', headers: Record<string, string> = {}): Promise<Answer> {
    const { form } = await this.asked(host);
    return this.post('/prove', { form, host, how }, headers);
  }

  async order(host: string, fields: Readonly<Record<string, string>>, headers = {}): Promise<Answer> {
    const form = /name="form" value="([\w-]+)"/.exec((await this.get(`/host?host=${host}`)).text)?.[1] ?? '';
    return this.post('/order', { form, host, ...fields }, headers);
  }

  get #headers(): Record<string, string> {
    return { 'x-forwarded-for': this.#address, ...(this.cookie !== '' && { cookie: this.cookie }) };
  }

  async #taken(response: Response): Promise<Answer> {
    const [set] = response.headers.getSetCookie();
    if (set !== undefined) this.cookie = set.split(';')[0]!;
    return { status: response.status, text: await response.text(), headers: response.headers };
  }
}
