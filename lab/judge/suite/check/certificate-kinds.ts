/** Certificates of the suite's hosts, right and wrong ones: after "a certificate that". */
export const certificateKinds = {
  good: 'names the host',
  wildcard: 'names all hosts one label below the host of the check',
  chain: 'is issued by an authority that the root has certified',
  expired: 'has expired',
  early: 'is not yet valid',
  otherName: 'names another host',
  selfSigned: 'is self-signed',
  unknown: 'is signed by an unknown authority',
  clientOnly: 'is for clients, not for servers',
  issuedByHost: 'is signed by the certificate of a host',
} as const;
export type CertificateKind = keyof typeof certificateKinds;
