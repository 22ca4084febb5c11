/** The beginning of a body: no more of it is taken, however long it is. */
export async function readBody(response: Response, bytesMax: number): Promise<Uint8Array> {
  const reader = response.body?.getReader();
  if (reader === undefined) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    chunks.push(value);
    bytes += value.length;
    if (bytes < bytesMax) continue;
    await reader.cancel().catch(() => {});
    break;
  }
  return new Uint8Array(Buffer.concat(chunks)).subarray(0, bytesMax);
}
