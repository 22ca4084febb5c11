"""A client of the lease API by gRPC, made of schemas/leases.proto by grpcio-tools: fetches until the crawl has nothing left.

python grpc-client.py PROTO ADDRESS CONCURRENCY: each page that it fetched leaves a line, the URL.
"""

import http.client
import re
import sys
import tempfile
import threading
import time
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import grpc
from grpc_tools import protoc

proto, address, concurrency = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
made = tempfile.mkdtemp()
arguments = ["protoc", f"-I{proto.parent}", f"--python_out={made}", f"--grpc_python_out={made}", proto.name]
if protoc.main(arguments) != 0:
    sys.exit(1)
sys.path.insert(0, made)
import leases_pb2 as pb  # noqa: E402
from leases_pb2_grpc import LeasesStub  # noqa: E402

# What a hostile server may cost: a body that never ends, or never begins.
BODY_BYTES_MAX, PATIENCE_S = 2_000_000, 10

stub = LeasesStub(grpc.insecure_channel(address))
printing = threading.Lock()


def joined(base, href):
    try:
        return urljoin(base, href)
    except ValueError:
        return None  # It is no URL.


def fetch(leased):
    parts = urlsplit(leased.url)
    connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=PATIENCE_S)
    started = time.monotonic()
    try:
        path = parts.path + (f"?{parts.query}" if parts.query else "")
        connection.request("GET", path, headers={"Host": parts.netloc, "User-Agent": leased.user_agent})
        response = connection.getresponse()
        body = b""
        while piece := response.read1(65536):
            body += piece
            if len(body) > BODY_BYTES_MAX or time.monotonic() - started > PATIENCE_S:
                return pb.Result(lease=leased.lease, failure=pb.TOO_LARGE)
        body = body.decode(errors="replace")
    except (OSError, http.client.HTTPException) as error:
        return pb.Result(lease=leased.lease, failure=pb.CONNECTION_FAILED, detail=str(error))
    finally:
        connection.close()
    ended = time.monotonic()
    headers = {name.lower(): value for name, value in response.getheaders()}
    is_page = response.status == 200 and headers.get("content-type", "").startswith("text/html")
    hrefs = re.findall(r'href="([^"]*)"', body) if is_page else []
    found = [url for href in hrefs if (url := joined(leased.url, href.replace("&amp;", "&")))]
    if is_page:
        with printing:
            print(leased.url, flush=True)
    now = time.monotonic()
    return pb.Result(
        lease=leased.lease,
        status=response.status,
        headers=headers,
        bytes=len(body),
        started_ms_ago=int((now - started) * 1000),
        ended_ms_ago=int((now - ended) * 1000),
        urls=[pb.AddedUrl(url=url) for url in found if len(url) < 8_192][:1_000],
    )


def work():
    while True:
        try:
            answer = stub.Lease(pb.LeaseRequest(count=1, wait_ms=5_000), timeout=60, wait_for_ready=True)
        except grpc.RpcError as error:
            if error.code() != grpc.StatusCode.UNAVAILABLE:
                raise
            time.sleep(0.05)  # The crawl is not up yet.
            continue
        for leased in answer.leases:
            told = stub.Tell(pb.TellRequest(results=[fetch(leased)]), timeout=60)
            assert told.results[0].state == pb.OK, told
        if not answer.leases and answer.HasField("idle") and answer.idle:
            return


failed = []
threading.excepthook = lambda failure: (failed.append(failure), sys.__excepthook__(*failure[:3]))
workers = [threading.Thread(target=work) for _ in range(concurrency)]
for worker in workers:
    worker.start()
for worker in workers:
    worker.join()
sys.exit(1 if failed else 0)
