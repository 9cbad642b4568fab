#!/usr/bin/env bash
# faraday-plugins 1.31.0: in its import of SARIF each file is a host, and a line is lost.
#
# Guess: a result becomes a finding of one asset, the repository, with path and line in its text.
# Seen: the path stands where an address of a host is expected, the line nowhere; the severity follows "level" alone
# ("security-severity" is not read); a rule without fullDescription ends the import with an AttributeError.
source "$(dirname "$0")/lib.sh"
pypi faraday-plugins==1.31.0

report() {
  cat <<J
{ "version": "2.1.0", "runs": [{
  "tool": { "driver": { "name": "example", "rules": [{ "id": "R1", "shortDescription": { "text": "Leaked credential" },
    $1 "properties": { "security-severity": "9.8" } }] } },
  "results": [{ "ruleId": "R1", "level": "warning", "message": { "text": "a leak" }, "locations": [{ "physicalLocation": {
    "artifactLocation": { "uri": "src/db.ts" }, "region": { "startLine": 37, "startColumn": 5 } } }] }] }] }
J
}
report '"fullDescription": { "text": "A value stands in a leak." },' >full.sarif
report '' >short.sarif
{
  venv/bin/faraday-plugins process-report --plugin_id sarif full.sarif 2>/dev/null >full.json
  python3 - <<'P'
import json
text = open("full.json").read()
host = json.loads(text[text.index("{"):])["hosts"][0]
print(host["ip"], host["vulnerabilities"][0]["severity"], "names line 37:", "37" in json.dumps(host))
P
  venv/bin/faraday-plugins process-report --plugin_id sarif short.sarif 2>&1 | tail -n 1 || true
} >seen
expect "the host and the severity of a finding, then a rule without fullDescription:" <<'S'
src/db.ts med names line 37: False
AttributeError: 'NoneType' object has no attribute 'get'
S
