import { explore } from './explore.ts';
import { createClaimsWorld } from './claims/world.ts';
const world = createClaimsWorld(process.argv[4]==='loss'?{kills: 1, disks: 1, acks: 1, losses: 1, moves: 1, events: 0, saves: 1, faults: 2}:{kills: 2, disks: 1, acks: 1, losses: 0, moves: 1, events: 1, saves: 1, faults: 2});
const t0 = Date.now();
const r = explore(world, { depth: Number(process.argv[2] ?? 8), statesMax: Number(process.argv[3] ?? 1e6), onLevel: (l) => console.log(l, world.play.deciders.decided, world.play.copies.replayed, ((Date.now()-t0)/1000).toFixed(1)) });
console.log(r);
