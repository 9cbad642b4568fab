#!/usr/bin/env bash
# chdb 4.4.0 (ClickHouse 26.9): a JSON string that looks like a date is read as a date, and as another one.
#
# Guess: a quoted JSON value is a String; types are inferred for CSV only.
# Seen: where all values of a column look like dates, JSONEachRow makes it Date as CSV does, and 2024-02-30 is read as
# 2024-03-01 without an error. One other value among the first 25,000 rows keeps the column as text.
# For an export of leaked accounts as JSON lines: SETTINGS input_format_try_infer_dates = 0, or a schema.
source "$(dirname "$0")/lib.sh"
pypi chdb==4.4.0 chdb-core==26.9.0

printf '{"user":"ada","password":"2024-02-30"}\n{"user":"bob","password":"1999-12-01"}\n' >dates.jsonl
printf '{"user":"ada","password":"2024-02-30"}\n{"user":"bob","password":"hunter2"}\n' >mixed.jsonl
printf 'user,password\nada,2024-02-30\nbob,1999-12-01\n' >dates.csv
cat >read.py <<'P'
import chdb
for source, settings in (
    ("'dates.jsonl', JSONEachRow", ""),
    ("'mixed.jsonl', JSONEachRow", ""),
    ("'dates.csv', CSVWithNames", ""),
    ("'dates.jsonl', JSONEachRow", " SETTINGS input_format_try_infer_dates = 0"),
):
    print(source + settings, str(chdb.query(f"SELECT toTypeName(password), password FROM file({source}){settings}")).split())
P
venv/bin/python read.py >seen 2>&1
expect "types and values of the column password:" <<'S'
'dates.jsonl', JSONEachRow ['"Nullable(Date)","2024-03-01"', '"Nullable(Date)","1999-12-01"']
'mixed.jsonl', JSONEachRow ['"Nullable(String)","2024-02-30"', '"Nullable(String)","hunter2"']
'dates.csv', CSVWithNames ['"Nullable(Date)","2024-03-01"', '"Nullable(Date)","1999-12-01"']
'dates.jsonl', JSONEachRow SETTINGS input_format_try_infer_dates = 0 ['"Nullable(String)","2024-02-30"', '"Nullable(String)","1999-12-01"']
S
