# The image that both stages begin with; --build-arg BASE=python@sha256:... pins it to what you have checked.
ARG BASE=python:3.11-slim-bookworm

# Build: the packages of the lock as wheels with their hashes, and the kernels compiled once, for any processor.
FROM ${BASE} AS build
WORKDIR /assay
COPY requirements.lock ./
RUN python -m venv .venv \
    && .venv/bin/pip install --no-cache-dir --only-binary :all: --require-hashes -r requirements.lock \
    && .venv/bin/pip uninstall --yes pip
COPY LICENSE ./
COPY app ./app
COPY client ./client
COPY resources ./resources
COPY models ./models
ENV NUMBA_CACHE_DIR=/assay/kernels NUMBA_CPU_NAME=generic PYTHONPATH=/assay:/assay/client
RUN .venv/bin/python -m compileall -q app client \
    && .venv/bin/python -m app.shell.compiling
COPY --chmod=755 deploy/assay /usr/local/bin/assay
# The site that the server shows at /help; its packages stay out of the image.
COPY docs /documentation/docs
RUN python -m venv /documentation/.venv \
    && /documentation/.venv/bin/pip install --no-cache-dir --require-hashes -r /documentation/docs/requirements.lock \
    && /documentation/.venv/bin/sphinx-build --quiet --fail-on-warning /documentation/docs build/help

# Run: no compilers, not root, nothing of the program can be written, state in /data alone.
FROM ${BASE}
RUN groupadd --system --gid 10001 assay \
    && useradd --system --uid 10001 --gid assay --no-create-home --home-dir /tmp --shell /usr/sbin/nologin assay \
    && install -d -o assay -g assay -m 0700 /data
COPY --from=build /assay /assay
COPY --from=build /usr/local/bin/assay /usr/local/bin/assay
WORKDIR /assay
ENV ASSAY_HOST=0.0.0.0 ASSAY_DATA_DIR=/data NUMBA_CACHE_DIR=/tmp/kernels NUMBA_CPU_NAME=generic \
    PYTHONPATH=/assay:/assay/client PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1
USER 10001:10001
EXPOSE 8000
VOLUME /data
HEALTHCHECK --interval=10s --timeout=5s --start-period=90s \
    CMD ["/assay/.venv/bin/python", "-c", "import os, sys, http.client as h; c = h.HTTPConnection('127.0.0.1', int(os.environ.get('ASSAY_PORT', 8000)), timeout=3); c.request('GET', '/health/ready'); sys.exit(c.getresponse().status != 200)"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["/usr/local/bin/assay"]
CMD ["serve"]
