#!/usr/bin/env bash
# python-hcl2 8.1.4: the value of a string in Terraform's settings has its quotation marks and escapes.
#
# Guess: as every parser of JSON, YAML or TOML: the value of password = "blue whale" is blue whale (7.3.1: so).
# Seen: the value has the quotes, and its escapes as written. With strip_string_quotes the quotes go and escapes are decoded.
# A heredoc keeps its markers either way.
# For scanners and rotation scripts that read *.tfvars: a value compared with leaked ones, or hashed, never matches.
source "$(dirname "$0")/lib.sh"
pypi python-hcl2==8.1.4

cat >terraform.tfvars <<'T'
password = "blue whale"
escaped  = "blue\\whale"
heredoc  = <<EOT
blue whale
EOT
T
cat >read.py <<'P'
import hcl2
from hcl2.utils import SerializationOptions
for options in (None, SerializationOptions(strip_string_quotes=True)):
    with open("terraform.tfvars") as file:
        read = hcl2.load(file, serialization_options=options)
    for name in ("password", "escaped", "heredoc"):
        print(f"{name}: {read[name]}".replace("\n", " / "))
P
venv/bin/python read.py >seen
expect 'as read by default, and with strip_string_quotes:' <<'S'
password: "blue whale"
escaped: "blue\\whale"
heredoc: "<<EOT / blue whale / EOT"
password: blue whale
escaped: blue\whale
heredoc: <<EOT / blue whale / EOT
S
