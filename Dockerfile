# One image for all roles and commands, for linux/amd64 and linux/arm64:
#   docker buildx build --platform linux/amd64,linux/arm64 --tag virt-operator .
# What is built is plain JavaScript, so both architectures share the first two stages. test/build runs this file without a Docker engine.

FROM --platform=$BUILDPLATFORM node:24-trixie-slim AS build
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ./
COPY src src
COPY functions functions
RUN npm run build
# What is no TypeScript: pages of the dashboard.
RUN find src functions -type f ! -name '*.ts' -exec cp --parents '{}' dist ';'
# Where node lies in the last stage, which has no `env` to look for it.
RUN sed -i '1s|.*|#!/nodejs/bin/node|' dist/src/main.js && chmod 755 dist/src/main.js
RUN mkdir bin && ln -s ../../virt-operator/src/main.js bin/virt-operator

FROM --platform=$BUILDPLATFORM node:24-trixie-slim AS dependencies
WORKDIR /build
COPY package.json package-lock.json ./
# Optional packages are native code for one architecture; everything works without.
RUN npm ci --omit=dev --omit=optional --ignore-scripts --no-audit --no-fund
# What packages bring for their own tests and demonstrations.
RUN find node_modules -depth -type d \( -name test -o -name tests -o -name __tests__ -o -name fixtures -o -name specs -o -name benchmark -o -name benchmarks -o -name example -o -name examples -o -name '.github' \) -exec rm -rf '{}' ';'
# Types, source maps, prose and code for other runtimes.
RUN find node_modules -type f \( -name '*.ts' -o -name '*.cts' -o -name '*.mts' -o -name '*.flow' -o -name '*.map' -o -iname '*.md' -o -name '*.markdown' -o -name '*.bare' -o -name '*.c' -o -name CMakeLists.txt -o -name '*.sh' -o -name '*.zip' -o -name '*.yml' -o -name 'pnpm-workspace.yaml' -o -name '*.tsbuildinfo' -o -name '.*' \) -delete && rm -rf node_modules/.bin node_modules/@types && find node_modules -type d -empty -delete

FROM gcr.io/distroless/nodejs24-debian13:nonroot
LABEL org.opencontainers.image.title="virt-operator" \
      org.opencontainers.image.description="Installs, updates, repairs and removes KubeVirt" \
      org.opencontainers.image.licenses="Apache-2.0"
# A small young generation keeps memory low (docs/decisions/memory-of-the-client.md). Nothing is written to the root file system.
ENV NODE_ENV=production NODE_OPTIONS=--max-semi-space-size=4 NODE_DISABLE_COMPILE_CACHE=1
WORKDIR /virt-operator
COPY --from=dependencies /build/node_modules node_modules
COPY --from=build /build/dist .
# On the PATH under this name: Jobs of either operator run `virt-operator --dump-install-strategy`.
COPY --from=build /build/bin /usr/bin
USER 1001:1001
EXPOSE 8186 8444
ENTRYPOINT ["/usr/bin/virt-operator"]
