#!/usr/bin/env bash
# Builds the container and checks a repository with it. Needs Docker: without it, the check is skipped, except in CI.
set -euo pipefail
cd "$(dirname "$0")/../../.."

if ! docker info > /dev/null 2>&1; then
  echo "skipped: Docker is not running here"
  [ "${CI:-}" != true ] || exit 1
  exit 0
fi

image=threat-exposure:check
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

docker build --file apps/cli/deploy/Containerfile --tag "$image" .
contained() { docker run --rm --read-only --cap-drop ALL --security-opt no-new-privileges --network none "$@"; }
contained "$image" --version
[ "$(contained --entrypoint id "$image" -u)" != 0 ]
echo "does not run as root"

git -C "$folder" init --quiet
echo 'password: "tidal-Wren-4471-harbour!"' > "$folder/production.yml"
# As the owner of the folder: git reads no repository of another user.
contained --user "$(id -u):$(id -g)" --volume "$folder:/work:ro" "$image" check --tree --offline |
  grep --quiet 'production\.yml:1'
echo "found a candidate in a repository"
