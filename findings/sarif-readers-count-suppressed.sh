#!/usr/bin/env bash
# sarif-tools 3.0.5, reviewdog 0.21.0: results that SARIF marks as settled are reported as errors.
#
# Guess: a result with an accepted suppression, with "kind": "pass" or with "baselineState": "absent" is left out, as code
# scanning does.
# Seen: both count a suppressed and an absent result like any other, and list a pass. reviewdog drops a result without a
# location; sarif-tools puts it at line 1 of the file "-".
# For a report of leaks: give such readers a report without the ignored leaks.
source "$(dirname "$0")/lib.sh"
pypi sarif-tools==3.0.5
golang github.com/reviewdog/reviewdog/cmd/reviewdog@v0.21.0

cat >in.sarif <<'J'
{ "version": "2.1.0", "$schema": "https://json.schemastore.org/sarif-2.1.0.json", "runs": [{
  "tool": { "driver": { "name": "example", "rules": [{ "id": "R1" }] } },
  "results": [
    { "ruleId": "R1", "level": "error", "message": { "text": "open" },
      "locations": [{ "physicalLocation": { "artifactLocation": { "uri": "a.ts" }, "region": { "startLine": 1 } } }] },
    { "ruleId": "R1", "level": "error", "message": { "text": "suppressed" },
      "suppressions": [{ "kind": "external", "status": "accepted", "justification": "rotated" }],
      "locations": [{ "physicalLocation": { "artifactLocation": { "uri": "b.ts" }, "region": { "startLine": 2 } } }] },
    { "ruleId": "R1", "kind": "pass", "level": "none", "message": { "text": "pass" },
      "locations": [{ "physicalLocation": { "artifactLocation": { "uri": "c.ts" }, "region": { "startLine": 3 } } }] },
    { "ruleId": "R1", "level": "error", "baselineState": "absent", "message": { "text": "absent" },
      "locations": [{ "physicalLocation": { "artifactLocation": { "uri": "d.ts" }, "region": { "startLine": 4 } } }] },
    { "ruleId": "R1", "level": "error", "message": { "text": "no location" } }
  ] }] }
J
{
  venv/bin/sarif csv in.sarif -o out.csv >/dev/null
  tr -d '\r' <out.csv
  bin/reviewdog -f=sarif -reporter=rdjson -filter-mode=nofilter -diff='cat /dev/null' <in.sarif 2>/dev/null | python3 -c '
import json, sys
for d in json.load(sys.stdin)["diagnostics"]: print(d.get("severity"), d["message"], d["location"]["path"])'
} >seen
expect "what sarif-tools (CSV) and reviewdog list:" <<'S'
Tool,Severity,Code,Description,Location,Line
example,error,R1,absent,d.ts,4
example,error,R1,no location,-,1
example,error,R1,open,a.ts,1
example,error,R1,suppressed,b.ts,2
example,none,R1,pass,c.ts,3
ERROR open a.ts
ERROR suppressed b.ts
None pass c.ts
ERROR absent d.ts
S
