#!/usr/bin/env bash
# @microsoft/sarif-multitool-linux 5.7.0: a result in the place of another one is "unchanged", whatever its fingerprints say.
#
# Guess: partialFingerprints decide: with another one, a result is "new", and the earlier result "absent".
# Seen: match-results-forward joins two results of one rule that have either the same fingerprint or the same place. With
# another fingerprint and another message on the same line, a result is "unchanged", not even "updated".
# For a report of leaks: that the password on a line was replaced by another leaked one is no news to such a baseline.
source "$(dirname "$0")/lib.sh"
npmjs @microsoft/sarif-multitool-linux@5.7.0
multitool=node_modules/@microsoft/sarif-multitool-linux/Sarif.Multitool
chmod +x "$multitool"
export DOTNET_SYSTEM_GLOBALIZATION_INVARIANT=1

report() {
  cat <<J
{ "version": "2.1.0", "\$schema": "https://json.schemastore.org/sarif-2.1.0.json", "runs": [{
  "tool": { "driver": { "name": "example", "rules": [{ "id": "leaked-password" }] } },
  "results": [{ "ruleId": "leaked-password", "level": "error", "message": { "text": "Seen in $2." },
    "partialFingerprints": { "leak/v1": "$1" },
    "locations": [{ "physicalLocation": {
      "artifactLocation": { "uri": "src/db.ts" }, "region": { "startLine": $3 } } }] }] }] }
J
}
report aaaaaaaaaaaaaaaa 2024 12 >before.sarif
report bbbbbbbbbbbbbbbb 2026 12 >other.sarif
report bbbbbbbbbbbbbbbb 2026 15 >below.sarif
for name in other below; do
  "$multitool" match-results-forward $name.sarif --previous before.sarif --output-file-path $name.matched >/dev/null
  python3 - $name <<'P'
import json, sys
for result in json.load(open(f"{sys.argv[1]}.matched"))["runs"][0]["results"]:
    print(sys.argv[1], result["partialFingerprints"]["leak/v1"][:4], result["baselineState"])
P
done >seen
expect "another leak on the line of an earlier one, then three lines below:" <<'S'
other bbbb unchanged
below aaaa absent
below bbbb new
S
