#!/usr/bin/env bash
# codecov-cli 11.3.1, test-results-parser 0.6.1: "All tests successful" of a JUnit report with a failure.
#
# Guess: a failure is a failure, and <failure message="m"/> is the same XML as <failure message="m"></failure>.
# Seen: failures in the short form are passes, errors and skipped tests, too; and one failure alone is none, however many
# tests passed beside it. Two in the long form are two.
# For a report of leaks: the message stands inside the element, too; what Codecov says of a single leak is wrong.
source "$(dirname "$0")/lib.sh"
pypi codecov-cli==11.3.1 test-results-parser==0.6.1

report() {
  printf '<testsuites><testsuite name="leaks" tests="2">'
  for outcome in "$@"; do printf '<testcase classname="leaks" name="a" time="0">%s</testcase>' "$outcome"; done
  printf '</testsuite></testsuites>\n'
}
short='<failure message="m"/>'
long='<failure message="m"></failure>'
report "$short" "$short" >two-short.xml
report "$long" '' >one-long.xml
report "$long" "$long" >two-long.xml
for name in two-short one-long two-long; do
  venv/bin/codecovcli --disable-telem process-test-results --disable-search --file $name.xml 2>/dev/null |
    sed -nE "s/^(:white_check_mark:|### :x:) (.*)/$name: \2/p"
done >seen
expect "what Codecov says:" <<'S'
two-short: All tests successful. No failed tests were found.
one-long: All tests successful. No failed tests were found.
two-long: 2 Tests Failed:
S
