/**
 * Module hooks that give each source the text it was compiled to beforehand, and one of them a mutant's. They run on a thread
 * of their own, without TypeScript.
 */
import { readFileSync } from 'node:fs';

let rootUrl;
let compiledUrl;
let mutantUrl;
let mutantCode;

export async function initialize(data) {
  ({ rootUrl, compiledUrl, mutantUrl, mutantCode } = data);
}

export async function load(url, context, next) {
  const plain = url.split('?')[0];
  if (!plain.startsWith(rootUrl) || !plain.endsWith('.ts')) return next(url, context);
  const source =
    plain === mutantUrl ? mutantCode : readFileSync(new URL(`${plain.slice(rootUrl.length)}.js`, compiledUrl), 'utf8');
  return { format: 'module', source, shortCircuit: true };
}
