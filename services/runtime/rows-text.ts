/** Names and values in two columns. */

/** Values in one column; a value of several lines goes on below itself. Absent values are left out. */
export function rows(table: readonly (readonly [name: string, value: string | number | null | undefined])[]): string {
  const shown = table.filter(([, value]) => value !== null && value !== undefined && value !== '');
  const width = Math.max(0, ...shown.map(([name]) => name.length)) + 2;
  return shown
    .map(([name, value]) => name.padEnd(width) + String(value).replaceAll('\n', `\n${' '.repeat(width)}`))
    .join('\n');
}
