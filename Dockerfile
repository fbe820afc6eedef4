# Node 26 is the active LTS line; the embedded storage has prebuilt binaries for it (Node-API, glibc, x64 and arm64).
ARG NODE_IMAGE=node:26-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY src/codesearch/package.json ./src/codesearch/
RUN npm ci
COPY tsconfig.json ./
COPY src ./src
# Two programs, each with only the packages it needs; they share one file. The demo and the local Slack need the checkout.
RUN npm run build && mkdir service && mv dist/codesearch service/ && cp dist/command-line.js service/ && rm -r dist/demo dist/local-slack

FROM ${NODE_IMAGE} AS manifests
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY src/codesearch/package.json ./src/codesearch/

# Optional packages stay, since the storage's binaries are some of them. The list names what is installed, and nothing else: npm
# would miss the dev dependencies and the workspace; with --omit=dev it leaves out needed packages too.
FROM manifests AS packages
RUN npm ci --omit=dev --workspaces=false && rm node_modules/.package-lock.json \
  && npm pkg delete devDependencies workspaces && npm run sbom --silent > sbom.spdx.json

FROM manifests AS servicepackages
RUN npm ci --omit=dev --workspace=src/codesearch --include-workspace-root=false \
  && rm -r node_modules/.package-lock.json node_modules/deepsearch-slack-codesearch \
  && cp src/codesearch/package.json ./ && npm sbom --sbom-format=spdx --sbom-type=application > sbom.spdx.json

FROM ${NODE_IMAGE} AS programs
# `npm run release` keeps the version; a build of another commit may give its own, and its commit as REVISION.
ARG VERSION=0.2.0
ARG REVISION=
LABEL org.opencontainers.image.title="Deep Search for Slack" \
  org.opencontainers.image.description="Ask a question about your code in Slack and get the answer, with its sources, in the thread." \
  org.opencontainers.image.licenses="MIT" \
  org.opencontainers.image.version="${VERSION}" \
  org.opencontainers.image.revision="${REVISION}"
ENV NODE_ENV=production
WORKDIR /app
# Some platforms (OpenShift) run images under a number of their own with the group 0, which may write as the user may.
RUN mkdir /data && chown 1000:0 /data && chmod 770 /data
VOLUME /data

# The embedded code search service: docker build --target codesearch. It needs git, which the app does not.
FROM programs AS codesearch
COPY --from=servicepackages /app/node_modules ./node_modules
COPY --from=servicepackages /app/package.json /app/sbom.spdx.json ./
COPY --from=build /app/service ./dist
LABEL org.opencontainers.image.title="Code search service of Deep Search for Slack"
# A mounted repository may belong to any user of the host, and is there to be read.
RUN apt-get update && apt-get install --yes --no-install-recommends git && rm -rf /var/lib/apt/lists/* \
  && git config --system --add safe.directory '*'
USER 1000:1000
EXPOSE 7080
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:7080/healthz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "dist/codesearch/main.js", "--help"]

FROM programs
COPY --from=packages /app/node_modules ./node_modules
COPY --from=packages /app/package.json /app/sbom.spdx.json ./
COPY --from=build /app/dist ./dist
ENV DATA_DIR=/data
# The user `node` of the image, as a number: Kubernetes can tell only of a number that it is not root.
USER 1000:1000
EXPOSE 3000
HEALTHCHECK --interval=15s --timeout=5s --start-period=30s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 3000}/livez`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "dist/main.js"]
