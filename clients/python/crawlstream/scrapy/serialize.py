"""Converts requests to JSON and back: the dict of `Request.to_dict`. Bytes, tuples and sets keep their types.

The format is JSON, not pickle: a client that may add URLs to a crawl must not be able to run code in its spiders.
"""

import base64
import sys

from scrapy import Request
from scrapy.utils.request import request_from_dict

_TAG = "__crawlstream__"


class NotSerializable(ValueError):
    """The request has a value that JSON cannot hold, such as a lambda or an open file."""


def request_to_plain(request, spider, without=()):
    """Returns a request as a value for JSON. `without`: names in meta to leave out. Raises NotSerializable."""
    try:
        fields = request.to_dict(spider=spider)
        fields["meta"] = {name: value for name, value in fields["meta"].items() if name not in without}
        return _plain(fields)
    except ValueError as error:
        raise NotSerializable(str(error)) from error


def request_from_plain(plain, spider):
    """Returns the request. Raises ValueError if the spider lacks its callback, or the value is not a request."""
    fields = _rich(plain)
    if not isinstance(fields, dict) or not isinstance(fields.get("url"), str):
        raise ValueError("what was given along is no request of Scrapy's")
    module = str(fields.get("_class", "scrapy.Request")).rpartition(".")[0]
    if module not in sys.modules:
        # Importing a module that the text names would run the module.
        raise ValueError(f"{fields['_class']} is not loaded: import it where the spider is")
    request = request_from_dict(fields, spider=spider)
    if not isinstance(request, Request):
        raise ValueError(f"{fields.get('_class')} is no request")
    return request


def _plain(value):
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (bytes, bytearray)):
        return {_TAG: "bytes", "value": base64.b64encode(bytes(value)).decode()}
    if isinstance(value, list):
        return [_plain(one) for one in value]
    if isinstance(value, (tuple, set, frozenset)):
        kind = "tuple" if isinstance(value, tuple) else "set"
        return {_TAG: kind, "value": [_plain(one) for one in value]}
    if isinstance(value, dict):
        if all(isinstance(key, str) for key in value) and _TAG not in value:
            return {key: _plain(one) for key, one in value.items()}
        return {_TAG: "dict", "value": [[_plain(key), _plain(one)] for key, one in value.items()]}
    raise NotSerializable(f"{type(value).__name__} cannot be kept: {value!r:.100}")


def _rich(value):
    if isinstance(value, list):
        return [_rich(one) for one in value]
    if not isinstance(value, dict):
        return value
    kind = value.get(_TAG)
    if kind is None:
        return {key: _rich(one) for key, one in value.items()}
    inner = value["value"]
    if kind == "bytes":
        return base64.b64decode(inner)
    if kind == "tuple":
        return tuple(_rich(one) for one in inner)
    if kind == "set":
        return {_rich(one) for one in inner}
    return {_rich(key): _rich(one) for key, one in inner}
