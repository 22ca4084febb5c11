"""Reads WARC files with warcio, checks every digest, and prints a JSON line per record."""
import json
import sys

from warcio.archiveiterator import ArchiveIterator

for path in sys.argv[1:]:
    with open(path, 'rb') as file:
        records = ArchiveIterator(file, check_digests='raise')
        for record in records:
            body = record.content_stream().read()
            header = record.rec_headers.get_header
            answered = record.http_headers if record.rec_type in ('response', 'revisit') else None
            print(json.dumps({
                'type': record.rec_type,
                'url': header('WARC-Target-URI'),
                'id': header('WARC-Record-ID'),
                'refersTo': header('WARC-Refers-To-Target-URI'),
                'status': answered.get_statuscode() if answered else None,
                'text': body.decode('utf-8', 'replace'),
                'offset': records.get_record_offset(),
                'stored': records.get_record_length(),
            }))
