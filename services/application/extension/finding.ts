/** One finding of `doctor`. */
export interface Finding {
  readonly check: string;
  /** `warning`: a crawl runs, but not as well, or not with every option. */
  readonly state: 'ok' | 'warning' | 'fault';
  readonly text: string;
  /** The command that fixes it. Absent: nothing to fix, or no command does it. */
  readonly remedy?: string;
}

export function ok(check: string, text: string): Finding {
  return { check, state: 'ok', text };
}

export function warning(check: string, text: string, remedy?: string): Finding {
  return { check, state: 'warning', text, ...(remedy !== undefined && { remedy }) };
}

export function fault(check: string, text: string, remedy?: string): Finding {
  return { check, state: 'fault', text, ...(remedy !== undefined && { remedy }) };
}
