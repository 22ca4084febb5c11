/**
 * Writes what is made from sources: schemas/*.ts, the list of extras, pages of reference in deploy/ and docs/, the chart.
 *
 *   npm run generate               writes them
 *   npm run generate -- --check    fails, by name, where one differs
 */
import '../../../schemas/generate.ts';
import '../../extras/list-extras.ts';

// Behind the list: an extra whose folder is gone is not loaded.
await import('./write-pages.ts');
