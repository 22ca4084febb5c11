/** The records of a renderer: pages, the requests that it made for them, and all responses if they are archived. */
import { hostname } from 'node:os';
import type { Response } from '../../../schemas/types.ts';
import { barredFrom } from '../../../topology/usage/statement.ts';
import type { ProcessorContext } from '../../application/processor/processor.ts';
import type { AgreedIdentities } from '../../fetcher/http/agreed-identity.ts';
import type { HttpResponse } from '../../fetcher/http/client.ts';
import type { BodyArchive } from '../../fetcher/http/kept-body.ts';
import type { PacedRequest } from '../../fetcher/pace/paced-request.ts';
import { usageRecord } from '../../fetcher/pages/usage-record.ts';
import { bodyArchive, createExchangeRecords, type ExchangeRecords } from '../../fetcher/publish/exchange-records.ts';
import { type ContactRecords, createContactRecords } from '../../fetcher/unleased/contact-records.ts';
import { pageRecords } from '../../fetcher/unleased/page-records.ts';
import { responseMessage } from '../../fetcher/unleased/response-message.ts';
import type { AppendRecord } from '../../runtime/log/log.ts';
import { RecordTooLarge } from '../../runtime/log/record-too-large.ts';
import type { RenderedPage } from './renderer.ts';

export class RenderRecords {
  readonly contacts: ContactRecords;
  /** Absent: responses are not archived. */
  readonly archive: BodyArchive | undefined;
  readonly #context: Pick<ProcessorContext, 'log' | 'codec' | 'manifest'>;
  readonly #exchanges: ExchangeRecords | undefined;
  readonly #responses: AppendRecord[] = [];

  constructor(context: Pick<ProcessorContext, 'log' | 'codec' | 'manifest' | 'reach'>, agreed: AgreedIdentities) {
    const { codec, manifest, reach } = context;
    this.#context = context;
    this.archive = reach.archive && bodyArchive(reach.archive);
    this.#exchanges =
      this.archive &&
      createExchangeRecords(this.archive, (record) => this.#responses.push(responseMessage(record, codec, manifest)));
    this.contacts = createContactRecords(codec, manifest, `render-${hostname()}-${process.pid}`, agreed.namesOf);
  }

  /** Takes the response for a resource. */
  exchanged(request: PacedRequest, response: HttpResponse, agreed: AgreedIdentities): void {
    const usage = usageRecord([], response.headers, agreed.tokensOf(request.url));
    this.#exchanges?.take(request, response, barredFrom(usage, 'archive'));
  }

  /** Takes a rendered document, as the response of its host. */
  add(document: Response): void {
    this.#exchanges?.add(document);
  }

  setPolicy(version: number, payload: string): void {
    this.#exchanges?.setPolicy(version, payload);
  }

  /**
   * Publishes all records since the last call, and a page with its links; resolves once they are acked. False: the page
   * is published without its screenshot, since its record is too large for its topic with it.
   */
  async publish(made?: RenderedPage): Promise<boolean> {
    const { log, codec, manifest } = this.#context;
    const records = [...this.contacts.take(), ...this.#responses.splice(0)];
    if (made !== undefined) records.push(...pageRecords(made, codec, manifest));
    if (records.length === 0) return true;
    try {
      await log.append(records);
      return true;
    } catch (error) {
      // The page is the last record, and the records that fit are durable.
      const isPage = error instanceof RecordTooLarge && error.indexes.includes(records.length - 1);
      if (!isPage || made?.page == null || made.page.screenshot.length === 0) throw error;
      const page = { ...made.page, screenshot: noScreenshot };
      await log.append(pageRecords({ page, groups: [] }, codec, manifest));
      if (error.indexes.length > 1) throw error;
      return false;
    }
  }
}

const noScreenshot = Buffer.alloc(0);
