"""Prints the title of each page of a crawl on Kafka, and the pages that are taken back.

    pip install -r requirements.txt
    python3 titles.py BROKERS REGISTRY CRAWL
"""

import io, json, struct, sys, urllib.request
from confluent_kafka import Consumer, KafkaException
from fastavro import parse_schema, schemaless_reader

brokers, registry, crawl = sys.argv[1:4]
schemas = {}


def decode(data):
    """Returns the record. It was written by the schema that its first five bytes name."""
    _, schema_id = struct.unpack(">bI", data[:5])
    if schema_id not in schemas:
        with urllib.request.urlopen(f"{registry}/schemas/ids/{schema_id}") as answer:
            schemas[schema_id] = parse_schema(json.loads(json.load(answer)["schema"]))
    return schemaless_reader(io.BytesIO(data[5:]), schemas[schema_id])


consumer = Consumer({
    "bootstrap.servers": brokers,
    "group.id": f"{crawl}.python-titles",
    "auto.offset.reset": "earliest",
    "enable.auto.commit": False,
})
consumer.subscribe([f"{crawl}.pages"])
try:
    while True:
        messages = consumer.consume(100, timeout=1.0)
        for message in messages:
            if message.error():
                raise KafkaException(message.error())
            if message.value() is None:
                print("taken back:", message.key().decode(), flush=True)
                continue
            page = decode(message.value())
            print(message.partition(), message.offset(), page["url"], page["title"], flush=True)
        # Only now: after a crash a page is printed twice, and none is missed.
        if messages:
            consumer.commit(asynchronous=False)
except KeyboardInterrupt:
    consumer.close()
