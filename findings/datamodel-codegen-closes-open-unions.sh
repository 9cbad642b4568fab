#!/usr/bin/env bash
# datamodel-code-generator 0.89.0, pydantic 2.14.4: the member for all other types of a tagged union takes one value only.
#
# Guess: a member whose discriminator is any other text stays a member for any other text.
# Seen: what the mapping does not name is taken for the name of the schema: "Other" becomes Literal['Other'], and a new type
# of the service is refused. Without "discriminator" the same schemas accept it.
source "$(dirname "$0")/lib.sh"
pypi datamodel-code-generator==0.89.0 pydantic==2.14.4

document() {
  cat <<J
{ "openapi": "3.1.0", "info": { "title": "t", "version": "1" }, "paths": {}, "components": { "schemas": {
  "Item": { "oneOf": [{ "\$ref": "#/components/schemas/Domain" }, { "\$ref": "#/components/schemas/Other" }] $1 },
  "Domain": { "type": "object", "required": ["type", "fqdn"],
    "properties": { "type": { "type": "string", "const": "domain" }, "fqdn": { "type": "string" } } },
  "Other": { "type": "object", "required": ["type"],
    "properties": { "type": { "type": "string", "not": { "enum": ["domain"] } } } } } } }
J
}
document ', "discriminator": { "propertyName": "type", "mapping": { "domain": "#/components/schemas/Domain" } }' >tagged.json
document '' >plain.json
for name in tagged plain; do
  venv/bin/datamodel-codegen --input $name.json --input-file-type openapi --output $name.py \
    --output-model-type pydantic_v2.BaseModel 2>/dev/null
  venv/bin/python - $name <<'P'
import importlib, sys
sys.path.insert(0, ".")
model = importlib.import_module(sys.argv[1])
try:
    print(sys.argv[1], type(model.Item.model_validate({"type": "phone"}).root).__name__)
except Exception as error:
    print(sys.argv[1], error.errors()[0]["type"])
P
done >seen
expect "an item of the type phone, with and without a discriminator:" <<'S'
tagged union_tag_invalid
plain Other
S
