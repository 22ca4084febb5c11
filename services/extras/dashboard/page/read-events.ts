/**
 * Reads events of a `text/event-stream` (WHATWG HTML, 9.2) with `fetch`, since an EventSource cannot send a token. Of
 * its fields, it reads those that our service writes: `event`, and one line of `data`.
 */
export async function readEvents(
  stream: ReadableStream<Uint8Array>,
  take: (event: string, data: string) => void,
): Promise<void> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let text = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const blocks = (text + decoder.decode(value, { stream: true })).split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const [, event, data] = /^event: (.*)\ndata: (.*)$/.exec(block) ?? [];
      if (event !== undefined && data !== undefined) take(event, data);
    }
  }
}
