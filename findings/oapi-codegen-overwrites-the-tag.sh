#!/usr/bin/env bash
# oapi-codegen 2.8.2: writing a member of a tagged union replaces its tag by the name of the schema.
#
# Guess: FromOther keeps the type that the value has; AsDomain of an e-mail address is an error.
# Seen: for a member that the mapping does not name, FromOther writes "type": "Other" over what was there; AsDomain of any
# member answers a Domain without an error, its fields empty.
source "$(dirname "$0")/lib.sh"
golang github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2

cat >api.json <<'J'
{ "openapi": "3.0.3", "info": { "title": "t", "version": "1" }, "paths": {}, "components": { "schemas": {
  "Item": { "oneOf": [{ "$ref": "#/components/schemas/Domain" }, { "$ref": "#/components/schemas/Other" }],
    "discriminator": { "propertyName": "type", "mapping": { "domain": "#/components/schemas/Domain" } } },
  "Domain": { "type": "object", "required": ["type", "fqdn"],
    "properties": { "type": { "type": "string", "enum": ["domain"] }, "fqdn": { "type": "string" } } },
  "Other": { "type": "object", "required": ["type"], "properties": { "type": { "type": "string" } } } } } }
J
bin/oapi-codegen -generate types,skip-prune -package main api.json >api.go
cat >main.go <<'G'
package main

import "fmt"

func main() {
	var item Item
	_ = item.FromOther(Other{Type: "phone"})
	text, _ := item.MarshalJSON()
	fmt.Println("FromOther(phone):", string(text))
	domain, err := item.AsDomain()
	fmt.Printf("AsDomain: %+v, error %v\n", domain, err)
}
G
{
  go mod init example
  go get github.com/oapi-codegen/runtime@v1.1.2
  go mod tidy
} >install.log 2>&1
go run . >seen
expect "a phone number through the generated union:" <<'S'
FromOther(phone): {"type":"Other"}
AsDomain: {Fqdn: Type:Other}, error <nil>
S
