#!/usr/bin/env bash
# Builds the container, starts it and searches through it. Needs Docker: without it, the check is skipped, except in CI.
set -euo pipefail
cd "$(dirname "$0")/../../.."

if ! docker info > /dev/null 2>&1; then
  echo "skipped: Docker is not running here"
  [ "${CI:-}" != true ] || exit 1
  exit 0
fi

image=threat-exposure-service:check
name=threat-exposure-check-$$
trap 'docker rm --force --volumes "$name" > /dev/null 2>&1 || true' EXIT

docker build --file apps/service/deploy/Containerfile --tag "$image" .
docker run --detach --name "$name" --read-only --cap-drop ALL --security-opt no-new-privileges \
  --publish 127.0.0.1:0:8787 --health-interval 2s "$image"
url=http://$(docker port "$name" 8787)

for _ in $(seq 60); do
  [ "$(docker inspect --format '{{.State.Health.Status}}' "$name")" = healthy ] && break
  sleep 1
done
curl --fail --silent --show-error "$url/healthz"
echo

service() { docker exec --interactive "$name" node /opt/threat-exposure/apps/service/src/main.ts "$@" --database /data/service.sqlite; }
echo '{"id":1,"identity_name":"jane@example.com","imported_at":"2026-01-01T00:00:00Z"}' | service load credentials -
token=$(service keys create --tenant 1 --permission read-tenant | tail -1)
curl --fail --silent --show-error "$url/svc/v4/credentials/global/_search" \
  --header "Authorization: Bearer $token" --header 'Content-Type: application/json' \
  --data '{"query":{"type":"email","email":"jane@example.com"}}' | grep --quiet '"identity_name":"jane@example.com"'
echo "found what was loaded"

# A user id without a name, as some platforms choose it.
docker run --rm --user 12345:12345 --tmpfs /data:mode=0777 "$image" \
  keys create --tenant 1 --permission read-tenant --database /data/service.sqlite | tail -1 | grep --quiet '^te_'
echo "created a key as a user without a name"

# The database and its key outlive the container's process, and SIGTERM ends it cleanly.
docker stop --timeout 30 "$name" > /dev/null
[ "$(docker inspect --format '{{.State.ExitCode}}' "$name")" = 0 ]
echo "stopped cleanly"
