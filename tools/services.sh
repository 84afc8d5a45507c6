#!/usr/bin/env bash
# What the checks need from the system: a PostgreSQL server to start, the shells that complete the
# commands, and a browser that looks at the pages. Installed only where missing and where we are root; the tests start and stop the
# server themselves.
set -euo pipefail
shopt -s nullglob

wanted=()
servers=(/usr/lib/postgresql/*/bin/postgres)
if [ ${#servers[@]} -eq 0 ]; then wanted+=(postgresql); fi
for shell in zsh fish; do
  if ! command -v "$shell" >/dev/null; then wanted+=("$shell"); fi
done

if ! command -v chromium >/dev/null && ! command -v chromium-browser >/dev/null; then
  wanted+=(chromium fonts-dejavu-core)
fi

if [ ${#wanted[@]} -gt 0 ]; then
  if [ "$(id -u)" -ne 0 ]; then
    echo "services: not here, install Debian's packages: ${wanted[*]}" \
      "(ASSAY_TEST_POSTGRES names a server elsewhere)" >&2
    exit 0
  fi
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq
  apt-get install -y -qq --no-install-recommends "${wanted[@]}" >/dev/null
fi
