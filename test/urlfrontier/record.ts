/** `node --import tsx test/urlfrontier/record.ts HOST:PORT`: what a server answers to each case, beside what was recorded. */
import { isDeepStrictEqual } from 'node:util';
import { connect } from '../services/extras/urlfrontier/client.ts';
import { cases } from './differences.ts';

const port = Number(process.argv[2]?.split(':').at(-1));
const client = connect(port);
let others = 0;
for (const [n, { name, ask, original }] of cases.entries()) {
  const answer = await ask(client, `case-${Date.now()}-${n}`).catch((error: Error) => `fails: ${error.message}`);
  const isSame = isDeepStrictEqual(answer, original);
  others += Number(!isSame);
  process.stdout.write(`${isSame ? 'same ' : 'OTHER'} ${name}: ${JSON.stringify(answer)}\n`);
}
process.stdout.write(`${others} of ${cases.length} are not what was recorded\n`);
client.close();
