/** The parts that every run of the action in these tests shares: a service that knows of leaks, and values that must never be seen again. */
import { assert } from "@effect/vitest"
import type { TestRepository } from "@threat-exposure/leak-check/testing/TestRepository"
import { credential, eventData } from "@threat-exposure/core/testing/Samples"
import { Context, DateTime, Effect, Layer } from "effect"
import { realService, type RealService } from "./RealService.ts"
import type { Run } from "./Runner.ts"

/** Values that no file of the repository contains in one piece. */
export const planted = {
  /** Seen in a credential. */
  leaked: ["Vq7#tLw9", "!zR2mXpK4"].join(""),
  /** Seen in an event, and in no credential. */
  sold: ["hG5$kTn8", "@wB3vYcJ6"].join(""),
  /** Given by name, and seen in a credential. */
  named: ["mD4%rFs7", "^xP9qZeL2"].join(""),
  /** Seen nowhere. */
  clean: ["cN6&yHj3", "*uA8bWgT5"].join("")
}

const now = DateTime.formatIso(DateTime.nowUnsafe())

const leakedCredential = (id: number, hash: string, identity_name: string, auth_domains: ReadonlyArray<string> = []) =>
  credential({ id, hash, identity_name, domain: identity_name.split("@")[1] ?? "", imported_at: now, auth_domains })

export class Service extends Context.Service<Service, RealService>()("@threat-exposure/tests/Service") {
  static readonly layer = Layer.effect(
    Service,
    realService({
      credentials: [
        leakedCredential(1, planted.leaked, "jane.doe@staff.example.org"),
        leakedCredential(2, planted.named, "build@staff.example.org"),
        leakedCredential(3, ["another", "-pass-phrase"].join(""), "kim@leaky.example"),
        leakedCredential(4, ["a-third", "-pass-phrase"].join(""), "lou@mail.example", ["sso.product.example"])
      ],
      events: [
        {
          event_type: "leaked_credential",
          metadata: {
            estimated_created_at: now,
            matched_at: now,
            svc_url: "https://app.example.com/events/1",
            uid: "stealer/example/1",
            severity: "high"
          },
          data: { ...eventData.leaked_credential, imported_at: now, password: planted.sold }
        }
      ]
    })
  )
}

/** A file that holds the values, each as a program would. */
export const configWith = (...values: ReadonlyArray<string>) =>
  values.map((value, n) => `DB_PASSWORD_${n}="${value}"\n`).join("")

const sameRepository = { full_name: "example/checkout", fork: false }

/** The payload of a pull request between two commits. */
export const pullRequest = (base: string, head: string, from = "example/checkout") => ({
  action: "synchronize",
  number: 7,
  pull_request: {
    number: 7,
    base: { sha: base, ref: "main", repo: sameRepository },
    head: { sha: head, ref: "feature", repo: { full_name: from, fork: from !== "example/checkout" } }
  },
  repository: { ...sameRepository, default_branch: "main" }
})

/** A pull request that adds the files to a repository with one commit. */
export const pullRequestWith = (repository: TestRepository, files: Readonly<Record<string, string>>, from?: string) => {
  const base = repository.commit({ "README.md": "# Checkout\n" })
  repository.git("checkout", "--quiet", "-b", "feature")
  const head = repository.commit(files)
  return { workspace: repository.path, event: "pull_request", payload: pullRequest(base, head, from) }
}

export const connected = ({ baseUrl, token }: RealService) => ({ "base-url": baseUrl, token })

/** Values that were searched, each once. */
export const searchedValues = ({ searches }: RealService) => [
  ...new Set(searches.flatMap((body) => JSON.parse(body).query?.secret ?? []))
]

/** Forgets recorded searches and injected faults; called before each run. */
export const calm = Effect.gen(function* () {
  const service = yield* Service
  service.searches.length = 0
  service.misbehave(undefined)
  return service
})

const spellings = (value: string) => [
  value,
  Buffer.from(value).toString("base64").replaceAll("=", ""),
  Buffer.from(value).toString("base64url"),
  Buffer.from(value).toString("hex"),
  encodeURIComponent(value),
  JSON.stringify(value).slice(1, -1)
]

/** Asserts that no output of a run contains a value in any encoding. */
export const assertNothingSlipped = ({ everything }: Run, service: RealService, ...files: ReadonlyArray<string>) => {
  const written = [everything, ...files].join("\n")
  for (const value of [...Object.values(planted), service.token, service.powerless]) {
    for (const spelling of spellings(value)) assert.notInclude(written, spelling)
  }
}

export const annotationsIn = ({ commands }: Run, level: "error" | "warning" | "notice") =>
  commands.filter(({ name }) => name === level)
