/** The metrics of a renderer: its pages, the requests that it refused them, and whether its browser is isolated. */
import type { MetricSource } from '../../runtime/metrics/metrics.ts';
import type { Browser } from './browser.ts';
import type { Renderer } from './renderer.ts';

export interface MeteredRender {
  readonly browser: Pick<Browser, 'stats' | 'sharesNetwork'>;
  readonly renderer: Pick<Renderer, 'stats' | 'noScreenshots'>;
  /** Refused requests, by reason. */
  readonly notLoaded: () => Readonly<Record<string, number>>;
}

export function renderMetrics({ browser, renderer, notLoaded }: MeteredRender): MetricSource {
  return (sink) => {
    const { rendered, failed, passedOver } = renderer.stats();
    for (const [outcome, count] of Object.entries({ rendered, failed, resting: passedOver }))
      sink.value('crawlstream_render_pages_total', count, { outcome });
    for (const [reason, count] of Object.entries({ ...browser.stats(), ...notLoaded() }))
      sink.value('crawlstream_render_passed_over_total', count, { reason });
    for (const [reason, count] of Object.entries(renderer.noScreenshots()))
      sink.value('crawlstream_render_no_screenshot_total', count, { reason });
    sink.value('crawlstream_render_shared_network', browser.sharesNetwork === null ? 0 : 1);
  };
}
