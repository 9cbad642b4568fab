/** Clients that generators make from `openapi.json` compile, and list, create, triage and delete. Each is skipped where its tool is missing. */
import { execFile } from "node:child_process"
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { promisify } from "node:util"
import { goEnv } from "@threat-exposure/programs/GoCompiler"
import { type RunningService, startService } from "@threat-exposure/service/testing/TestService"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { installPython } from "./PythonPackages.ts"

const run = promisify(execFile)

const root = resolve(import.meta.dirname, "../..")
const bin = join(root, "node_modules/.bin")
const folder = mkdtempSync(join(tmpdir(), "threat-exposure-generated-"))

/** Undefined if the command can be run, else why not. */
const missing = async (command: string, ...args: ReadonlyArray<string>): Promise<string | undefined> => {
  try {
    await run(command, args)
    return undefined
  } catch (error) {
    return `${command} ${args.join(" ")}: ${String(error).split("\n", 1).join("")}`
  }
}

/** The first version of Go that fetches the toolchain that a `go.mod` asks for. */
const minGo = { major: 1, minor: 21 }

/** Undefined if that version of Go can build the client, else why not. */
const tooOldGo = (printed: string): string | undefined => {
  const [found = printed, major, minor] = /go(\d+)\.(\d+)\S*/u.exec(printed) ?? []
  const isTooOld = Number(major) === minGo.major && Number(minor) < minGo.minor
  return isTooOld ? `${found} on PATH is too old: install Go ${minGo.major}.${minGo.minor} or later` : undefined
}

const inFolder = (name: string) => {
  const path = join(folder, name)
  mkdirSync(path)
  copyFileSync(join(root, "packages/core/openapi.json"), join(path, "openapi.json"))
  return path
}

const python = `import json
import sys

from threat_exposure_monitoring_api_client import AuthenticatedClient
from threat_exposure_monitoring_api_client.api.events import events_act, events_annotate, events_of_tenant
from threat_exposure_monitoring_api_client.api.identifiers import (
    identifiers_create,
    identifiers_delete,
    identifiers_get,
    identifiers_list,
    identifiers_update,
)
from threat_exposure_monitoring_api_client.api.matching_policies import matching_policies_create, matching_policies_list
from threat_exposure_monitoring_api_client.models import (
    EventAction,
    EventActionAction,
    EventActionTargetsItem,
    EventAnnotation,
    EventStatus,
    KeywordsValue,
    MonitoredIdentifierUpdate,
    NewExcludedKeywordsPolicy,
    NewExcludedKeywordsPolicyType,
    NewMonitoredDataType0,
    NewMonitoredDataType0Type,
    NewMonitoredIdentifier,
    TenantEventFilters,
    TenantEventSearch,
    TriageAction,
)

client = AuthenticatedClient(base_url=f"{sys.argv[1]}/svc", token=sys.argv[2])
data = NewMonitoredDataType0(type_=NewMonitoredDataType0Type.DOMAIN, fqdn="generated.example.com")
created = identifiers_create.sync(
    client=client, body=NewMonitoredIdentifier(data=data, categories=[], emerging_categories=[], severities=[])
)
listed = identifiers_list.sync(client=client, size=100)
[event] = events_of_tenant.sync(client=client, body=TenantEventSearch(size=1)).items


def act(action):
    return events_act.sync_detailed(
        client=client,
        body=EventAction(
            targets=[EventActionTargetsItem(uid=event.metadata.uid)], action=EventActionAction(type_=action)
        ),
    )


ignored = act(TriageAction.IGNORE)
act(TriageAction.REMEDIATE)
events_annotate.sync(client=client, uid=event.metadata.uid, body=EventAnnotation(tags=["generated"], notes="ours"))
filters = TenantEventFilters(status=[EventStatus.REMEDIATED], tags=["generated"])
[remediated] = events_of_tenant.sync(client=client, body=TenantEventSearch(filters=filters)).items
assert remediated.metadata.uid == event.metadata.uid
assert remediated.tenant_metadata.notes == "ours"
disabled = MonitoredIdentifierUpdate(
    data=data, categories=[], emerging_categories=[], severities=[], is_disabled=True
)
identifiers_update.sync(created.id, client=client, body=disabled)
assert identifiers_get.sync(created.id, client=client).is_disabled
policy = matching_policies_create.sync(
    client=client,
    body=NewExcludedKeywordsPolicy(
        name="generated", type_=NewExcludedKeywordsPolicyType.EXCLUDED_KEYWORDS, value=KeywordsValue(keywords=["x"])
    ),
)
policies = matching_policies_list.sync(client=client)
deleted = identifiers_delete.sync_detailed(client=client, identifier_id=created.id)
after = identifiers_get.sync_detailed(client=client, identifier_id=created.id)
print(
    json.dumps(
        {
            "fqdn": created.data.fqdn,
            "listed": any(item.id == created.id for item in listed.items),
            "uid": event.metadata.uid,
            "keywords": policy.value.keywords,
            "statuses": [int(ignored.status_code), int(deleted.status_code), int(after.status_code)],
            "types": sorted({type(item).__name__ for item in policies.items}),
        }
    )
)
`

const typescript = `import { client } from "./out/client.gen"
import {
  eventsAct,
  eventsOfTenant,
  identifiersCreate,
  identifiersDelete,
  identifiersGet,
  identifiersList,
  matchingPoliciesCreate,
  matchingPoliciesList
} from "./out/sdk.gen"

const [url = "", token = ""] = process.argv.slice(2)
client.setConfig({ baseUrl: \`\${url}/svc\`, auth: () => token })
const content = { categories: [], emerging_categories: [], severities: [] }
const { data: created } = await identifiersCreate({
  body: { ...content, data: { type: "domain", fqdn: "generated.example.com" } }
})
const { data: listed } = await identifiersList({ query: { size: 100 } })
const { data: found } = await eventsOfTenant({ body: { size: 1 } })
const uid = found?.items[0]?.metadata.uid ?? ""
const ignored = await eventsAct({ body: { targets: [{ uid }], action: { type: "ignore" } } })
const { data: policy } = await matchingPoliciesCreate({
  body: { name: "generated", type: "EXCLUDED_KEYWORDS", value: { keywords: ["x"] } }
})
const { data: policies } = await matchingPoliciesList({ query: {} })
const path = { identifier_id: created?.id ?? 0 }
const deleted = await identifiersDelete({ path })
const after = await identifiersGet({ path })
console.log(
  JSON.stringify({
    fqdn: created !== undefined && "fqdn" in created.data ? created.data.fqdn : "",
    listed: listed?.items.some(({ id }) => id === created?.id),
    uid,
    statuses: [ignored.response?.status, deleted.response?.status, after.response?.status],
    keywords: policy !== undefined && "keywords" in policy.value ? policy.value.keywords : [],
    types: [...new Set(policies?.items.map(({ policy_type }) => policy_type))].sort()
  })
)
`

const go = `package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"

	"example.com/generated/api"
)

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	ctx := context.Background()
	authorize := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+os.Args[2])
		return nil
	}
	client, err := api.NewClientWithResponses(os.Args[1]+"/svc", api.WithRequestEditorFn(authorize))
	check(err)

	var data api.NewMonitoredData
	check(data.FromNewMonitoredData0(api.NewMonitoredData0{Type: "domain", Fqdn: "generated.example.com"}))
	created, err := client.IdentifiersCreateWithResponse(ctx, api.NewMonitoredIdentifier{
		Data: data, Categories: []string{}, EmergingCategories: []string{}, Severities: []api.Severity{},
	})
	check(err)
	domain, err := created.JSON200.Data.AsMonitoredData0()
	check(err)
	size := 100
	listed, err := client.IdentifiersListWithResponse(ctx, &api.IdentifiersListParams{Size: &size})
	check(err)
	isListed := false
	for _, item := range listed.JSON200.Items {
		isListed = isListed || item.Id == created.JSON200.Id
	}
	one := 1
	found, err := client.EventsOfTenantWithResponse(ctx, api.TenantEventSearch{Size: &one})
	check(err)
	uid := found.JSON200.Items[0].Metadata.Uid
	var action api.EventAction
	check(json.Unmarshal([]byte(fmt.Sprintf(\`{"targets":[{"uid":%q}],"action":{"type":"ignore"}}\`, uid)), &action))
	ignored, err := client.EventsActWithResponse(ctx, action)
	check(err)
	var newPolicy api.NewMatchingPolicy
	check(newPolicy.FromNewExcludedKeywordsPolicy(api.NewExcludedKeywordsPolicy{
		Name: "generated", Type: "EXCLUDED_KEYWORDS", Value: api.KeywordsValue{Keywords: []string{"x"}},
	}))
	policy, err := client.MatchingPoliciesCreateWithResponse(ctx, newPolicy)
	check(err)
	excluded, err := policy.JSON200.AsExcludedKeywordsPolicy()
	check(err)
	deleted, err := client.IdentifiersDeleteWithResponse(ctx, created.JSON200.Id)
	check(err)
	after, err := client.IdentifiersGetWithResponse(ctx, created.JSON200.Id)
	check(err)
	check(json.NewEncoder(os.Stdout).Encode(map[string]any{
		"fqdn": domain.Fqdn, "listed": isListed, "uid": uid, "keywords": excluded.Value.Keywords,
		"statuses": []int{ignored.StatusCode(), deleted.StatusCode(), after.StatusCode()},
	}))
}
`

const noPython = await missing("python3", "-m", "pip", "--version")
const noGo = (await missing("go", "version")) ?? tooOldGo((await run("go", ["version"])).stdout)

describe("a client that is generated from openapi.json", () => {
  let service: RunningService

  beforeAll(async () => {
    service = await startService({ sample: true })
  })
  afterAll(async () => {
    await service.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  const check = (output: string) => {
    const { types, uid, ...rest }: { readonly types?: unknown; readonly uid: string } = JSON.parse(output)
    assert.match(uid, /^[^/]+\/[^/]+\/[^/]+$/u)
    assert.deepStrictEqual<unknown>(rest, {
      fqdn: "generated.example.com",
      listed: true,
      keywords: ["x"],
      statuses: [200, 202, 404]
    })
    return types
  }

  it.skipIf(noPython !== undefined)(`by openapi-python-client ${noPython ?? ""}`, async () => {
    const cwd = inFolder("python")
    const programs = await installPython(cwd, "openapi-python-client==0.29.1")
    const flags = ["generate", "--path", "openapi.json", "--output-path", "client"]
    const { stderr, stdout } = await run(join(programs, "openapi-python-client"), flags, { cwd })
    assert.notInclude(`${stdout}${stderr}`, "Unable to")
    writeFileSync(join(cwd, "program.py"), python)
    const env = { ...process.env, PYTHONPATH: join(cwd, "client") }
    const program = await run(join(programs, "python3"), ["program.py", service.url, service.token], { cwd, env })
    assert.deepStrictEqual(check(program.stdout), [
      "CookiesPolicy",
      "DomainMatchPolicy",
      "ExcludedKeywordsPolicy",
      "IncludedKeywordsPolicy",
      "LuceneQueryPolicy"
    ])
  })

  it("by @hey-api/openapi-ts", async () => {
    const cwd = inFolder("typescript")
    writeFileSync(join(cwd, "package.json"), '{ "type": "module", "private": true }\n')
    const packages = ["@hey-api/openapi-ts@0.99.0", "typescript@5.9.3", "@types/node@24.19.2"]
    await run("npm", ["install", "--no-audit", "--no-fund", ...packages], { cwd })
    await run(join(cwd, "node_modules/.bin/openapi-ts"), ["-i", "openapi.json", "-o", "out"], { cwd })
    writeFileSync(join(cwd, "program.ts"), typescript)
    const options = "--noEmit --strict --module esnext --moduleResolution bundler --target es2022 --types node"
    await run(join(cwd, "node_modules/.bin/tsc"), [...options.split(" "), "program.ts"], { cwd })
    const bundler = join(root, "apps/service/node_modules/.bin/rolldown")
    await run(bundler, ["program.ts", "--platform", "node", "--format", "esm", "-o", "program.mjs"], { cwd })
    const program = await run(join(bin, "node"), ["program.mjs", service.url, service.token], { cwd })
    assert.deepStrictEqual(check(program.stdout), [
      "ASTP_COOKIES",
      "ASTP_DOMAIN",
      "EXCLUDED_KEYWORDS",
      "INCLUDED_KEYWORDS",
      "LUCENE_QUERY"
    ])
  })

  it.skipIf(noGo !== undefined)(`by oapi-codegen ${noGo ?? ""}`, async () => {
    const cwd = inFolder("go")
    mkdirSync(join(cwd, "api"))
    writeFileSync(join(cwd, "go.mod"), "module example.com/generated\n\ngo 1.24\n")
    writeFileSync(join(cwd, "main.go"), go)
    const generator = "github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2"
    const flags = ["-generate", "types,client", "-package", "api", "-o", "api/api.gen.go", "openapi.json"]
    await run("go", ["run", generator, ...flags], { cwd, env: goEnv })
    await run("go", ["mod", "tidy"], { cwd, env: goEnv })
    const program = await run("go", ["run", ".", service.url, service.token], { cwd, env: goEnv })
    check(program.stdout)
  })
})
