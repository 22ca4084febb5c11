/** The `crawlstream` command from its sources. The command as it is built starts at start.ts. */
import { run } from './run-command.ts';

await run();
