/** The package ships no types. */
declare module 'html-encoding-sniffer' {
  /** The WHATWG name of the encoding that the byte order mark, the label or a `<meta>` names; else the default. */
  export default function sniff(
    bytes: Uint8Array,
    options?: { readonly transportLayerEncodingLabel?: string; readonly defaultEncoding?: string },
  ): string;
}
