/** A row of the page quota's book, kept by partition 0: cumulative counts. */
export interface QuotaRow {
  readonly granted: number;
  readonly returned: number;
  readonly wanted: number;
  readonly version: number;
}
