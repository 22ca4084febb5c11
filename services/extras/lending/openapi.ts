/** The lease API as an OpenAPI 3.1 document, made from the schemas that check its calls. */
import { bodyOf, license, schemasOf, security, securitySchemes } from '../../runtime/http/openapi.ts';
import {
  addAnswer,
  addCall,
  leaseAnswer,
  leaseCall,
  problem,
  renewAnswer,
  renewCall,
  resultsAnswer,
  resultsCall,
  statusAnswer,
} from './api-schemas.ts';

const answers = { leaseAnswer, resultsAnswer, renewAnswer, addAnswer, statusAnswer, problem };
const calls = { leaseCall, resultsCall, renewCall, addCall };

const problems = {
  '400': { description: 'A field is invalid: `message` names it and the remedy.', content: bodyOf('problem') },
  '401': { description: 'The token is missing or wrong.', content: bodyOf('problem') },
  '403': { description: 'Calls from other machines need a token.', content: bodyOf('problem') },
  '413': { description: 'The body is too large: send less at once.', content: bodyOf('problem') },
  '503': { description: 'The crawl is starting or stopping: retry in a moment.', content: bodyOf('problem') },
};

const post = (
  operationId: string,
  summary: string,
  call: keyof typeof calls,
  answer: keyof typeof answers,
  status = '200',
) => ({
  post: {
    ...{ operationId, summary, tags: ['leases'] },
    requestBody: { required: true, content: bodyOf(call) },
    responses: { [status]: { description: summary, content: bodyOf(answer) }, ...problems },
  },
});

/** Generated at the first call, since most commands do not need it. */
export function openApi(): object {
  return (made ??= document());
}

let made: object | undefined;

const document = () => ({
  openapi: '3.1.0',
  info: {
    title: 'Crawlstream: leases by HTTP',
    version: '1',
    license,
    description:
      'A client leases URLs that may be requested now, fetches each at once, and reports the result. The crawl keeps the delay of each host, checks robots.txt, and remembers seen URLs. If a client dies, its URLs are leased again.',
  },
  security,
  tags: [{ name: 'leases', description: 'URLs to fetch, and their results.' }],
  paths: {
    '/v1/leases': {
      ...post('lease', 'URLs to fetch now; waits for the first one.', 'leaseCall', 'leaseAnswer'),
      get: {
        ...{ operationId: 'status', summary: 'Counts of leased URLs and waiting calls.', tags: ['leases'] },
        responses: { '200': { description: 'Counts.', content: bodyOf('statusAnswer') }, ...problems },
      },
    },
    '/v1/results': post('tell', 'Results of leased URLs, and their links.', 'resultsCall', 'resultsAnswer'),
    '/v1/renewals': post('renew', 'More time for leases.', 'renewCall', 'renewAnswer'),
    '/v1/urls': post('add', 'URLs to crawl, such as seeds.', 'addCall', 'addAnswer', '202'),
  },
  components: { schemas: schemasOf(calls, answers), securitySchemes },
});
