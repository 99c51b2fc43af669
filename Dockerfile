# Build: compilers, the environment, and the kernels compiled once.
FROM python:3.11-slim-bookworm AS build
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install -y --no-install-recommends cmake g++ make \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /assay
RUN python -m venv /assay/.venv
COPY requirements.lock ./
RUN /assay/.venv/bin/pip install --no-cache-dir --require-hashes -r requirements.lock
COPY pyproject.toml README.md LICENSE ./
COPY app ./app
COPY client ./client
COPY resources ./resources
COPY models ./models
ENV NUMBA_CPU_NAME=generic PYTHONPATH=/assay:/assay/client
RUN /assay/.venv/bin/python -c "from app.engine import Engine; from app.settings import Settings; s = Settings(); Engine.load(s.resources_dir, s.models_dir)"

# Run: no compilers, not root, state in /data alone.
FROM python:3.11-slim-bookworm
RUN useradd --system --uid 10001 --create-home assay \
    && mkdir /data \
    && chown assay /data
WORKDIR /assay
COPY --from=build /assay /assay
ENV ASSAY_HOST=0.0.0.0 ASSAY_DATA_DIR=/data NUMBA_CPU_NAME=generic PYTHONPATH=/assay:/assay/client PYTHONUNBUFFERED=1
USER assay
EXPOSE 8000
VOLUME /data
HEALTHCHECK --interval=10s --timeout=3s --start-period=90s \
    CMD ["/assay/.venv/bin/python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/health/ready', timeout=2)"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["/assay/.venv/bin/python", "-m", "app"]
CMD ["serve"]
