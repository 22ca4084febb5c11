/**
 * Addresses that a crawler must not reach: everything outside the public internet.
 *
 * Source: the IANA special-purpose address registries (RFC 6890 and updates). Blocked are loopback, unspecified,
 * private, carrier-grade NAT, link-local (including the cloud metadata service), multicast, broadcast, benchmarking,
 * documentation and reserved ranges. In IPv6, also every address that embeds an IPv4 address (mapped, NAT64, 6to4,
 * Teredo) and everything outside global unicast. Text that is not an address is blocked.
 */

import ipaddr from 'ipaddr.js';
import { CrawlstreamError } from '../errors.ts';
import { canParse } from '../url/can-parse.ts';

/** Names that mean this machine, whatever DNS answers (RFC 6761 §6.3). */
const localName = /(?:^|\.)localhost\.?$/;

/**
 * Returns whether the address is blocked. `address`: IPv4 in dotted decimal, or IPv6, with or without brackets and
 * zone.
 */
export function isBlockedAddress(address: string): boolean {
  const ipv4 = parseDotted(address);
  if (ipv4 >= 0) return isBlockedIpv4(ipv4);
  const bare = address.startsWith('[') && address.endsWith(']') ? address.slice(1, -1) : address;
  if (!ipaddr.IPv6.isValid(bare)) return true;
  return isBlockedIpv6(ipaddr.IPv6.parse(bare).parts);
}

/**
 * Returns a guard that is true for blocked addresses. `allowed` lists networks that may be reached anyway
 * (`10.1.0.0/16`, `fd00::/8`; a single address is a network of one). `true` allows every address; `false` allows no
 * blocked one. An IPv4 address embedded in an IPv6 address is not a member of its IPv4 network. Throws
 * INVALID_ARGUMENT for an invalid network.
 */
export function compileAddressGuard(allowed: boolean | readonly string[]): (address: string) => boolean {
  if (typeof allowed === 'boolean') return allowed ? () => false : isBlockedAddress;
  const networks = allowed.map(parseNetwork);
  return (address) => isBlockedAddress(address) && !networks.some((network) => contains(network, address));
}

type Network = ReturnType<typeof ipaddr.parseCIDR>;

function parseNetwork(text: string): Network {
  if (ipaddr.isValidCIDR(text)) return ipaddr.parseCIDR(text);
  if (!ipaddr.IPv4.isValidFourPartDecimal(text) && !ipaddr.IPv6.isValid(text)) {
    throw new CrawlstreamError(
      'INVALID_ARGUMENT',
      `${text} is not a network: write a CIDR network or an address, as in 10.1.0.0/16 or ::1`,
    );
  }
  const address = ipaddr.parse(text);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}

function contains([network, bits]: Network, address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  return parsed.kind() === network.kind() && parsed.match(network, bits);
}

/**
 * True if the URL's host is a literal address that is blocked, in any spelling (the URL standard reads `0x7f.1`,
 * `2130706433`, full width digits), or a name for this machine. Other names are checked when a connection is made.
 */
export function urlHasBlockedAddress(url: string): boolean {
  if (!canParse(url)) return true;
  const { hostname } = new URL(url);
  if (hostname.startsWith('[')) return isBlockedAddress(hostname);
  const ipv4 = parseDotted(hostname);
  return ipv4 >= 0 ? isBlockedIpv4(ipv4) : localName.test(hostname);
}

/** The address as an unsigned 32-bit number; -1: not four decimal octets without leading zeros. */
function parseDotted(text: string): number {
  if (text.length < 7 || text.length > 15) return -1;
  let value = 0;
  let octet = 0;
  let digits = 0;
  let dots = 0;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c === 0x2e) {
      if (digits === 0 || dots === 3) return -1;
      value = value * 256 + octet;
      octet = digits = 0;
      dots += 1;
    } else {
      if (c < 0x30 || c > 0x39 || digits === 3 || (digits === 1 && octet === 0)) return -1;
      octet = octet * 10 + c - 0x30;
      if (octet > 255) return -1;
      digits += 1;
    }
  }
  return dots === 3 && digits > 0 ? value * 256 + octet : -1;
}

function isBlockedIpv4(address: number): boolean {
  const a = address >>> 24;
  const b = (address >>> 16) & 0xff;
  const c = (address >>> 8) & 0xff;
  switch (a) {
    case 0: // this network
    case 10: // private
    case 127: // loopback
      return true;
    case 100: // carrier-grade NAT, 100.64/10
      return b >= 64 && b <= 127;
    case 169: // link-local, with the metadata services
      return b === 254;
    case 172: // private, 172.16/12
      return b >= 16 && b <= 31;
    case 192: // private; protocol assignments, TEST-NET-1; 6to4 relays; AS112
      return (
        b === 168 ||
        (b === 0 && (c === 0 || c === 2)) ||
        (b === 88 && c === 99) ||
        (b === 31 && c === 196) ||
        (b === 52 && c === 193) ||
        (b === 175 && c === 48)
      );
    case 168: // a cloud's own wire server, reachable only from inside it
      return address === 0xa83f8110;
    case 198: // benchmarking, 198.18/15; TEST-NET-2
      return b === 18 || b === 19 || (b === 51 && c === 100);
    case 203: // TEST-NET-3
      return b === 0 && c === 113;
    default: // multicast, reserved, broadcast
      return a >= 224;
  }
}

/** `parts`: eight numbers of 16 bits. Only global unicast, 2000::/3, can be public; some of it is not. */
function isBlockedIpv6(parts: readonly number[]): boolean {
  const first = parts[0]!;
  const second = parts[1]!;
  if ((first & 0xe000) !== 0x2000) return true;
  // 2001::/23: Teredo, benchmarking, ORCHID and other protocol assignments.
  if (first === 0x2001 && (second < 0x200 || second === 0xdb8)) return true;
  // 6to4; documentation, 3fff::/20; AS112.
  return (
    first === 0x2002 ||
    (first === 0x3fff && second < 0x1000) ||
    (first === 0x2620 && second === 0x4f && parts[2] === 0x8000)
  );
}
