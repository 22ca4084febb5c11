/** A plugin that pays by x402's own client, from a purse that it makes. `FORGES=yes`: what it signed, it changes. */
import { x402Client, x402HTTPClient } from '@x402/core/client';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';

const purse = privateKeyToAccount(generatePrivateKey());
const client = new x402Client().register('eip155:84532', new ExactEvmScheme(purse));
const http = new x402HTTPClient(client);

export default {
  name: 'x402',
  version: '1',
  async pay({ url, scheme, terms }) {
    if (scheme !== 'x402') return undefined;
    const payload = await client.createPaymentPayload({
      x402Version: 2,
      resource: { url },
      accepts: [JSON.parse(terms)],
    });
    if (process.env.FORGES === 'yes') payload.payload.authorization.from = '0x209693Bc6afc0C5328bA36FaF03C514EF312287C';
    return { headers: http.encodePaymentSignatureHeader(payload) };
  },
};
