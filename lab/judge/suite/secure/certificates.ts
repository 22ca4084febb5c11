/**
 * Certificates of the suite, right and wrong ones, written in DER (RFC 5280): a machine that runs the suite needs no
 * openssl. All keys are made for one run.
 */
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import type { CertificateKind } from '../check/certificate-kinds.ts';

export interface Authority {
  /** The root, PEM: what a crawler must trust. */
  readonly root: string;
  readonly key: string;
  /** The certificate with those that it is sent with, PEM. `below`: the name that a wildcard is for. */
  chainFor(kind: CertificateKind, name: string, below: string): string;
}

const dayMs = 86_400_000;
const objectIds = {
  commonName: '550403',
  subjectKey: '551d0e',
  keyUsage: '551d0f',
  altName: '551d11',
  constraints: '551d13',
  authorityKey: '551d23',
  extendedUsage: '551d25',
  serverAuth: '2b06010505070301',
  clientAuth: '2b06010505070302',
  ecdsaSha256: '2a8648ce3d040302',
} as const;

interface Party {
  readonly name: string;
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

interface Terms {
  readonly names?: readonly string[];
  readonly isAuthority?: true;
  readonly forClients?: true;
  /** Days from now. */
  readonly from?: number;
  readonly until?: number;
}

export function makeAuthority(): Authority {
  const party = (name: string): Party => ({ name, ...generateKeyPairSync('ec', { namedCurve: 'P-256' }) });
  const [root, middle, unknown, host] = ['root', 'intermediate', 'unknown', 'host'].map((name) =>
    party(`crawler suite ${name}`),
  ) as [Party, Party, Party, Party];
  const authority = { isAuthority: true } as const;
  const middlePem = issue(middle, root, authority);
  const otherHostPem = issue({ ...host, name: 'other.test' }, root, { names: ['other.test'] });
  const makers: Readonly<Record<CertificateKind, (subject: Party, names: readonly string[], below: string) => string>> =
    {
      good: (subject, names) => issue(subject, root, { names }),
      wildcard: (subject, _names, below) => issue(subject, root, { names: [`*.${below}`] }),
      chain: (subject, names) => issue(subject, middle, { names }) + middlePem,
      expired: (subject, names) => issue(subject, root, { names, from: -30, until: -2 }),
      early: (subject, names) => issue(subject, root, { names, from: 2, until: 30 }),
      otherName: (subject) => issue(subject, root, { names: ['other.test'] }),
      selfSigned: (subject, names) => issue(subject, subject, { names }),
      unknown: (subject, names) => issue(subject, unknown, { names }),
      clientOnly: (subject, names) => issue(subject, root, { names, forClients: true }),
      issuedByHost: (subject, names) => issue(subject, { ...host, name: 'other.test' }, { names }) + otherHostPem,
    };
  return {
    root: issue(root, root, authority),
    key: String(host.privateKey.export({ type: 'pkcs8', format: 'pem' })),
    chainFor: (kind, name, below) => makers[kind]({ ...host, name }, [name], below),
  };
}

/** Returns a certificate in PEM. */
function issue(subject: Party, issuer: Party, terms: Terms): string {
  const { from = -2, until = 30 } = terms;
  const algorithm = sequence(objectId(objectIds.ecdsaSha256));
  const body = sequence(
    tagged(0xa0, integer(Buffer.of(2))),
    integer(Buffer.concat([Buffer.of(1), randomBytes(8)])),
    algorithm,
    nameOf(issuer),
    sequence(timeOf(from), timeOf(until)),
    nameOf(subject),
    subject.publicKey.export({ type: 'spki', format: 'der' }),
    tagged(0xa3, sequence(...extensionsOf(subject, issuer, terms))),
  );
  const der = sequence(body, algorithm, bits(0, sign('sha256', body, issuer.privateKey)));
  const lines = der
    .toString('base64')
    .match(/.{1,64}/g)!
    .join('\n');
  return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`;
}

function extensionsOf(subject: Party, issuer: Party, { names = [], isAuthority, forClients }: Terms): Buffer[] {
  const domains = names.map((name) => tagged(0x82, Buffer.from(name, 'latin1')));
  const purpose = objectId(forClients ? objectIds.clientAuth : objectIds.serverAuth);
  return [
    extension(objectIds.subjectKey, octets(keyIdOf(subject))),
    extension(objectIds.authorityKey, sequence(tagged(0x80, keyIdOf(issuer)))),
    // keyCertSign, digitalSignature.
    critical(objectIds.keyUsage, isAuthority ? bits(2, Buffer.of(0x04)) : bits(7, Buffer.of(0x80))),
    critical(objectIds.constraints, isAuthority ? sequence(tagged(0x01, Buffer.of(0xff))) : sequence()),
    ...(isAuthority ? [] : [extension(objectIds.extendedUsage, sequence(purpose))]),
    ...(domains.length === 0 ? [] : [extension(objectIds.altName, sequence(...domains))]),
  ];
}

function keyIdOf({ publicKey }: Party): Buffer {
  return createHash('sha1')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest();
}

function tagged(tag: number, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const { length } = body;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.of(tag, ...size), body]);
}

const sequence = (...parts: readonly Buffer[]) => tagged(0x30, ...parts);
const integer = (value: Buffer) => tagged(0x02, value);
const octets = (value: Buffer) => tagged(0x04, value);
const bits = (unused: number, value: Buffer) => tagged(0x03, Buffer.of(unused), value);
const objectId = (hex: string) => tagged(0x06, Buffer.from(hex, 'hex'));
const extension = (id: string, value: Buffer) => sequence(objectId(id), octets(value));
const critical = (id: string, value: Buffer) => sequence(objectId(id), tagged(0x01, Buffer.of(0xff)), octets(value));

function nameOf({ name }: Party): Buffer {
  return sequence(tagged(0x31, sequence(objectId(objectIds.commonName), tagged(0x0c, Buffer.from(name)))));
}

/** UTCTime: years until 2049. */
function timeOf(days: number): Buffer {
  const text = new Date(Date.now() + days * dayMs).toISOString();
  return tagged(0x17, Buffer.from(`${text.slice(2, 19).replace(/[-T:]/g, '')}Z`));
}
