/** The library that speaks SOCKS, by a name that is there when this file is joined with it: a bundled CommonJS package has none of its own. */
export { SocksClient } from 'socks';
