/**
 * The SOCKS library, by a name that exists when this file is bundled with it: a bundled CommonJS package has no file
 * name.
 */
export { SocksClient } from 'socks';
