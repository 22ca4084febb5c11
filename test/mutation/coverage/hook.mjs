/** Module hooks that give sources the text they were compiled to beforehand. They run on a thread of their own, without TypeScript. */
import { readFileSync } from 'node:fs';

let rootUrl;
let folderUrl;

export async function initialize(data) {
  ({ rootUrl, folderUrl } = data);
}

export async function load(url, context, next) {
  const plain = url.split('?')[0];
  if (!plain.startsWith(rootUrl) || !plain.endsWith('.ts')) return next(url, context);
  let source;
  try {
    source = readFileSync(new URL(`${plain.slice(rootUrl.length)}.js`, folderUrl), 'utf8');
  } catch {
    return next(url, context);
  }
  return { format: 'module', source, shortCircuit: true };
}
