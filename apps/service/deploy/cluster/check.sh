#!/usr/bin/env bash
# Starts the cluster of compose.yaml, and searches through the proxy while a node and a service are stopped. Needs Docker:
# without it, the check is skipped, except in CI.
set -euo pipefail
cd "$(dirname "$0")"

if ! docker info > /dev/null 2>&1; then
  echo "skipped: Docker is not running here"
  [ "${CI:-}" != true ] || exit 1
  exit 0
fi

compose() { docker compose --project-name "threat-exposure-check-$$" "$@"; }
trap 'compose logs --tail 50; compose down --volumes > /dev/null 2>&1 || true' EXIT
compose up --build --detach --wait

service() {
  compose exec --no-TTY service1 node /opt/threat-exposure/apps/service/src/main.ts "$@" \
    --opensearch https://node1:9200,https://node2:9200,https://node3:9200
}
echo '{"id":1,"identity_name":"jane@example.com","imported_at":"2026-01-01T00:00:00Z"}' | service load credentials -
token=$(service keys create --tenant 1 --permission read-tenant | tail -1)
authority=$(mktemp)
compose exec --no-TTY service1 cat /certificates/authority.pem > "$authority"
search() {
  curl --fail --silent --show-error --retry 5 --retry-all-errors --cacert "$authority" \
    https://localhost:8443/svc/v4/credentials/global/_search --header "Authorization: Bearer $token" \
    --header 'Content-Type: application/json' --data '{"query":{"type":"email","email":"jane@example.com"}}' |
    grep --quiet '"identity_name":"jane@example.com"'
}
search
echo "found what was loaded"
compose stop node2
search
echo "found it without a node"
compose stop service2
for _ in 1 2 3 4; do search; done
echo "found it without a service"
service backup /backup/check
echo "wrote a backup"
trap - EXIT
compose down --volumes
