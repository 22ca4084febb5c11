/**
 * `npm run verify:containers [-- STEP ...]`: what only a container engine can show. Steps: image, compose, pods, helm, api; all by default.
 *
 * Prints one line for each finding. Exit code 1: something failed; 3: a tool is missing, and what to install is said.
 */
import { applyEverywhere } from './api-server.ts';
import { composeCrawl } from './compose-crawl.ts';
import { MissingTool } from './engine.ts';
import { helmChart } from './helm.ts';
import { buildImage, hardenedCrawl, heaps, startUp } from './image.ts';
import { podSecurity } from './pod-security.ts';

const steps: Readonly<Record<string, readonly (readonly [what: string, act: () => Promise<string>])[]>> = {
  image: [
    ['the image', buildImage],
    ['its start', startUp],
    ['a crawl, read-only and without rights', hardenedCrawl],
    ['the heap', heaps],
  ],
  compose: [['docker-compose.yml', composeCrawl]],
  pods: [['Pod Security', podSecurity]],
  helm: [['the Helm chart', helmChart]],
  api: [['a real API server', applyEverywhere]],
};

const wanted = process.argv.slice(2);
const unknown = wanted.find((name) => !(name in steps));
if (unknown !== undefined) {
  console.error(`verify:containers: no step ${unknown}: give ${Object.keys(steps).join(', ')}`);
  process.exit(2);
}
for (const name of wanted.length > 0 ? wanted : Object.keys(steps)) {
  for (const [what, act] of steps[name]!) {
    try {
      console.log(`${what}: ${await act()}`);
    } catch (error) {
      const isMissing = error instanceof MissingTool;
      console.error(
        `${what}: ${isMissing ? `NOT RUN, needs ${error.message}` : `FAILED, ${(error as Error).message}`}`,
      );
      process.exitCode = isMissing && process.exitCode !== 1 ? 3 : 1;
      // The rest of a step rests on this one.
      break;
    }
  }
}
