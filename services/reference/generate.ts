/**
 * Generates files from sources: schemas/*.ts, the list of extras, reference pages in deploy/ and docs/, the chart.
 *
 *   npm run generate               writes them
 *   npm run generate -- --check    fails if one differs, and names it
 */
import '../../schemas/generate.ts';
import '../extras/list-extras.ts';

// After the list of extras: an extra without its folder must not be loaded.
await import('./write-pages.ts');
