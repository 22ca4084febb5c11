/** `node --import tsx test/boundaries/list.ts`: every limit, and what is known of it at its edge. */
import { table } from './table.ts';

const counts = { driven: 0, tuning: 0, undriven: 0 };
for (const [group, { limits, boundaries }] of Object.entries(table)) {
  for (const [name, boundary] of Object.entries(boundaries)) {
    counts[boundary.kind] += 1;
    const what =
      boundary.kind === 'driven' ? boundary.gives.map((one) => JSON.stringify(one)).join(' | ') : boundary.because;
    console.log(`${boundary.kind.padEnd(8)}  ${group}.${name} = ${JSON.stringify(limits[name])}: ${what}`);
  }
}
const { driven, tuning, undriven } = counts;
console.log(
  `${driven} driven at N-1, N and N+1; ${undriven} with an edge that is not driven here; ${tuning} without one`,
);
