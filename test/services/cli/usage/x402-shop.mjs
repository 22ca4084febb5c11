/**
 * A shop that takes x402, of the protocol's own packages, and beside it a facilitator on loopback. That one checks what a real one
 * checks of a payment without asking a chain: who signed it (EIP-712), for how much, to whom, until when, and that it is no
 * replay. It settles in a book of its own. What it is asked, and answers, is a line of JSON on standard output.
 */
import { createServer } from 'node:http';
import { HTTPFacilitatorClient } from '@x402/core/server';
import { ExactEvmScheme } from '@x402/evm/exact/server';
import { paymentMiddleware, x402ResourceServer } from '@x402/express';
import express from 'express';
import { verifyTypedData } from 'viem';

const network = 'eip155:84532';
const payTo = '0x209693Bc6afc0C5328bA36FaF03C514EF312287C';
const types = {
  TransferWithAuthorization: [
    { name: 'from', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'validAfter', type: 'uint256' },
    { name: 'validBefore', type: 'uint256' },
    { name: 'nonce', type: 'bytes32' },
  ],
};
const tell = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);
const listen = (server) =>
  new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server.address().port)));

const settled = new Set();

async function objectionTo({ paymentPayload, paymentRequirements }) {
  const { authorization, signature } = paymentPayload.payload;
  const { amount, asset, extra } = paymentRequirements;
  const domain = { name: extra.name, version: extra.version, chainId: 84_532, verifyingContract: asset };
  const signed = { domain, types, primaryType: 'TransferWithAuthorization', message: authorization, signature };
  if (!(await verifyTypedData({ ...signed, address: authorization.from }))) return 'invalid_signature';
  if (authorization.value !== amount || authorization.to !== paymentRequirements.payTo) return 'invalid_amount';
  if (Number(authorization.validBefore) * 1_000 < Date.now()) return 'expired';
  return settled.has(authorization.nonce) ? 'replayed' : '';
}

const facilitator = createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request) body += chunk;
  response.setHeader('content-type', 'application/json');
  const answer = (value) => response.end(JSON.stringify(value));
  if (request.url === '/supported')
    return answer({ kinds: [{ x402Version: 2, scheme: 'exact', network }], extensions: [], signers: {} });
  const asked = JSON.parse(body);
  const objection = await objectionTo(asked);
  const { authorization } = asked.paymentPayload.payload;
  const { from: payer, value, nonce } = authorization;
  const { url } = asked.paymentPayload.resource;
  tell({ asked: request.url, url, payer, value, objection });
  if (request.url === '/verify')
    return answer(objection === '' ? { isValid: true, payer } : { isValid: false, invalidReason: objection, payer });
  if (objection === '') settled.add(nonce);
  const transaction = objection === '' ? `0x${nonce.slice(2)}` : '';
  return answer({
    success: objection === '',
    transaction,
    network,
    payer,
    ...(objection && { errorReason: objection }),
  });
});

const client = new HTTPFacilitatorClient({ url: `http://127.0.0.1:${await listen(facilitator)}` });
const server = new x402ResourceServer(client).register(network, new ExactEvmScheme());
const priced = (price) => ({ accepts: [{ scheme: 'exact', price, network, payTo }], mimeType: 'text/html' });
const app = express();
app.use((request, _, next) => {
  tell({ asked: request.url, isPaid: request.headers['payment-signature'] !== undefined });
  next();
});
app.use(paymentMiddleware({ 'GET /cheap': priced('$0.01'), 'GET /dear': priced('$0.50') }, server));
app.get('/', (_, response) => response.type('html').send('<a href="/cheap">a</a> <a href="/dear">b</a>'));
for (const path of ['/cheap', '/dear'])
  app.get(path, (_, response) => response.type('html').send(`<title>bought ${path}</title>`));
tell({ port: await listen(createServer(app)) });
