/** `scratch-user.ts FOLDER how`: opens a scratch folder, and ends in a way that tests ask for. */
import { openScratchFolder } from '../../../../services/runtime/disk/scratch-folder.ts';

const [, , above, how] = process.argv;
const { path, remove } = await openScratchFolder(above!, 'crawl-');
setInterval(() => {}, 1_000);
if (how === 'exit') process.exit(3);
if (how === 'fault') throw new Error('the program has a fault');
if (how === 'drain')
  process.on('SIGTERM', () => {
    setTimeout(() => remove().then(() => process.exit(0)), 50);
  });
process.stdout.write(`${path}\n`);
