/**
 * The columns of Common Crawl's columnar index, in its order, so that queries which are written for one run on the other.
 * Source: github.com/commoncrawl/cc-index-table, the flat schema.
 */
import type { Column } from '../../../runtime/table/table.ts';

export const indexColumns: readonly Column[] = [
  { name: 'url_surtkey', type: 'string' },
  { name: 'url', type: 'string' },
  { name: 'url_host_name', type: 'string' },
  { name: 'url_host_tld', type: 'string' },
  { name: 'url_host_2nd_last_part', type: 'string' },
  { name: 'url_host_3rd_last_part', type: 'string' },
  { name: 'url_host_4th_last_part', type: 'string' },
  { name: 'url_host_5th_last_part', type: 'string' },
  { name: 'url_host_registry_suffix', type: 'string' },
  { name: 'url_host_registered_domain', type: 'string' },
  { name: 'url_host_private_suffix', type: 'string' },
  { name: 'url_host_private_domain', type: 'string' },
  { name: 'url_host_name_reversed', type: 'string' },
  { name: 'url_protocol', type: 'string' },
  { name: 'url_port', type: 'int32' },
  { name: 'url_path', type: 'string' },
  { name: 'url_query', type: 'string' },
  { name: 'fetch_time', type: 'timestamp' },
  { name: 'fetch_status', type: 'int32' },
  { name: 'fetch_redirect', type: 'string' },
  { name: 'content_digest', type: 'string' },
  { name: 'content_mime_type', type: 'string' },
  { name: 'content_mime_detected', type: 'string' },
  { name: 'content_charset', type: 'string' },
  { name: 'content_languages', type: 'string' },
  { name: 'content_truncated', type: 'string' },
  { name: 'warc_filename', type: 'string' },
  { name: 'warc_record_offset', type: 'int32' },
  { name: 'warc_record_length', type: 'int32' },
  { name: 'warc_segment', type: 'string' },
];
