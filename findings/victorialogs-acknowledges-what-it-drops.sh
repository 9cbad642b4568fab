#!/usr/bin/env bash
# VictoriaLogs 1.52.1: its _bulk endpoint answers 201 for documents that it does not keep.
#
# Guess: as OpenSearch, whose API it takes: an error for each item that is refused, 409 for an _id that is there.
# Seen: a document older than the retention (7 days by default) or more than 2 days ahead is answered 201 and dropped with a
# line in the server's log; the same _id is stored as often as it is sent.
# For a feed of leaks, whose events are often older than a week: -retentionPeriod, and no expectation of idempotence.
source "$(dirname "$0")/lib.sh"
golang github.com/VictoriaMetrics/VictoriaLogs/app/victoria-logs@v1.52.1

bin/victoria-logs -storageDataPath=data -httpListenAddr=127.0.0.1:19428 >server.log 2>&1 &
trap 'kill %1; wait; rm -rf "$work"' EXIT
until curl -sf http://127.0.0.1:19428/health >/dev/null; do sleep 0.2; done
at() { date -u -d "$1" +%Y-%m-%dT%H:%M:%SZ; }
{
  printf '{"create":{"_id":"now"}}\n{"@timestamp":"%s","message":"now"}\n' "$(at now)"
  printf '{"create":{"_id":"old"}}\n{"@timestamp":"%s","message":"a month ago"}\n' "$(at '30 days ago')"
  printf '{"create":{"_id":"new"}}\n{"@timestamp":"%s","message":"in five days"}\n' "$(at '5 days')"
} >bulk
{
  for _ in 1 2; do
    curl -s -H 'content-type: application/x-ndjson' --data-binary @bulk \
      'http://127.0.0.1:19428/insert/elasticsearch/_bulk?_time_field=@timestamp&_msg_field=message' | sed 's/"took":[0-9]*,//'
    echo
  done
  until [ "$(curl -s http://127.0.0.1:19428/select/logsql/query -d 'query=*' | wc -l)" -ge 2 ]; do sleep 0.2; done
  curl -s http://127.0.0.1:19428/select/logsql/query -d 'query=* | fields _msg'
} >seen
expect "two answers to the same three documents, and what is stored:" <<'S'
{"errors":false,"items":[{"create":{"status":201}},{"create":{"status":201}},{"create":{"status":201}}]}
{"errors":false,"items":[{"create":{"status":201}},{"create":{"status":201}},{"create":{"status":201}}]}
{"_msg":"now"}
{"_msg":"now"}
S
