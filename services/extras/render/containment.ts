/**
 * Tests whether a browser reaches the network directly, before any page is opened, since a chromium silently ignores
 * unknown flags. Our test page tries WebRTC and WebTransport (the two ways to UDP for scripts) towards our socket,
 * which must receive nothing.
 */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { Browser as Chromium } from 'playwright-core';
import { CrawlstreamError } from '../../../topology/errors.ts';

const patienceMs = 3_000;

/** Throws UNSUPPORTED where something arrived. */
export async function proveContained(browser: Chromium, executable: string): Promise<void> {
  const socket = createSocket('udp4');
  let packets = 0;
  let heard = () => {};
  const came = new Promise<void>((resolve) => (heard = resolve));
  socket.on('message', () => {
    packets += 1;
    heard();
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const { port } = socket.address() as AddressInfo;
  const context = await browser.newContext();
  try {
    await context.route('**/*', (route) => route.fulfill({ status: 200, contentType: 'text/html', body: '<p>probe' }));
    const tab = await context.newPage();
    // WebRTC and WebTransport are for secure origins.
    await tab.goto('https://probe.invalid/');
    await Promise.race([came, tab.evaluate(attempt(port)).catch(() => {})]);
  } finally {
    await context.close();
    socket.close();
  }
  if (packets === 0) return;
  throw new CrawlstreamError(
    'UNSUPPORTED',
    `${executable} allows pages to send UDP around the crawler (WebRTC), so it is not used for rendering; install a current chromium`,
  );
}

/** A script of the page: tries both, and ends when there is nothing more to try. */
function attempt(port: number): string {
  return `(async () => {
    const over = new Promise((resolve) => setTimeout(resolve, ${patienceMs}));
    const peer = new RTCPeerConnection({ iceServers: [{ urls: 'stun:127.0.0.1:${port}' }] });
    const gathered = new Promise((resolve) => {
      peer.onicegatheringstatechange = () => peer.iceGatheringState === 'complete' && resolve();
    });
    peer.createDataChannel('probe');
    await peer.setLocalDescription(await peer.createOffer());
    const transport = typeof WebTransport === 'undefined' ? null : new WebTransport('https://127.0.0.1:${port}/');
    await Promise.race([over, Promise.all([gathered, transport?.ready.catch(() => {})])]);
    peer.close();
  })()`;
}
