/** Payments for pages. */
import { defineExtension } from '../../application/extension/extension.ts';

export const extension = defineExtension({
  name: 'payments',
  about: 'pays for pages that answer 402, by plugins and within the limits of the policy',
  openPayments: async () => (await import('./plugin-payments.ts')).openPayments,
  facts: async () => (await import('./payment-facts.ts')).paymentFacts,
});
