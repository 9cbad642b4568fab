#!/usr/bin/env bash
# allure-commandline 2.46.1: failures of a JUnit report that share class and name hide each other.
#
# Guess: three test cases are three results.
# Seen: equal classname and name within one file make them retries of one test, and one of the three counts. Which one is not
# defined: of two runs one was green.
# For a report of leaks: the name of a case holds its place.
source "$(dirname "$0")/lib.sh"
npmjs allure-commandline@2.46.1

mkdir results
cat >results/TEST-leaks.xml <<'X'
<?xml version="1.0" encoding="UTF-8"?>
<testsuites><testsuite name="leaks" tests="3" failures="2" timestamp="2026-11-28T08:00:00Z">
<testcase classname="src/a.ts" name="Leaked credential" time="0"><failure message="line 3">first</failure></testcase>
<testcase classname="src/a.ts" name="Leaked credential" time="0"><failure message="line 9">second</failure></testcase>
<testcase classname="src/a.ts" name="Leaked credential" time="0"/>
</testsuite></testsuites>
X
node_modules/.bin/allure generate results -o report >/dev/null 2>&1
python3 -c 'import json; print("total", json.load(open("report/widgets/summary.json"))["statistic"]["total"])' >seen
expect "what the report counts for two failures and one pass:" <<'S'
total 1
S
