# The same image with a browser, for `crawlstream render`: Debian's chromium, about 700 MB.
#   docker build -f deploy/render.Dockerfile -t crawlstream-render deploy
ARG BASE=crawlstream
FROM ${BASE}
USER 0:0
RUN apt-get update && apt-get install -y --no-install-recommends chromium && rm -rf /var/lib/apt/lists/*
USER 1000:1000
