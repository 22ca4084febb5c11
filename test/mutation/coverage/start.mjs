/**
 * Loaded before a test (`--import`): sources have the text that they were compiled to, in `CRAWLSTREAM_TEST_COMPILED`, and the
 * one that `CRAWLSTREAM_TEST_MUTANT` names has the mutant's. Half the cost of a loader that compiles, and the checkout is not
 * touched, so that mutants can be tried at once.
 */
import { register } from 'node:module';
import { pathToFileURL } from 'node:url';

const rootUrl = new URL('../../../', import.meta.url).href;
const { file, code } = JSON.parse(process.env['CRAWLSTREAM_TEST_MUTANT'] ?? '{}');
register('./hook.mjs', import.meta.url, {
  data: {
    rootUrl,
    compiledUrl: pathToFileURL(`${process.env['CRAWLSTREAM_TEST_COMPILED']}/`).href,
    mutantUrl: file && new URL(file, rootUrl).href,
    mutantCode: code,
  },
});
