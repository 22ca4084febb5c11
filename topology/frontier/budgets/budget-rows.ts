/**
 * Accounts in the state store: those that changed since the last call, to be written in one batch with the position of
 * the checkpoint. Key: `b` and the budget key.
 */
import type { Row } from '../storage/store-job.ts';
import type { BudgetsState } from './budgets-state.ts';

export function saveBudgets(budgets: BudgetsState): Row[] {
  const rows = [...budgets.unsaved].sort().map((key) => ({ key: Buffer.from(`b${key}`), value: budgets.save(key) }));
  budgets.unsaved = new Set();
  return rows;
}
