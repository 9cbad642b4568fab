/** The git repository of the demo: a small shop whose pull request adds secrets, some of which have leaked. */
import { execFileSync } from "node:child_process"
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"

/** The secrets that the pull request plants. All but `unseenPassword` are in the service's sample data. */
export interface PlantedSecrets {
  readonly databasePassword: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly paymentsToken: string
  readonly sourceHostToken: string
  /** Looks like a password and never leaked. */
  readonly unseenPassword: string
}

export interface SampleRepository {
  readonly root: string
  /** The commit that the pull request would be merged into. */
  readonly base: string
  /** The last commit of the pull request. */
  readonly head: string
}

const shop: Readonly<Record<string, string>> = {
  "README.md": "# Orchard\n\nA small shop that sells fruit trees.\n\nCopy `.env.example` to `.env` and fill it in.\n",
  ".env.example": "DATABASE_URL=postgres://orchard:CHANGE_ME@localhost:5432/orchard\nPAYMENTS_TOKEN=your-token-here\n",
  "package.json": '{\n  "name": "orchard",\n  "private": true,\n  "type": "module"\n}\n',
  "src/server.ts": `import { createServer } from "node:http"
import { charge } from "./payments.ts"

createServer(async (request, response) => {
  response.end(await charge(Number(request.headers["x-amount"] ?? 0)))
}).listen(process.env.PORT ?? 3000)
`,
  "src/payments.ts": `const token = process.env.PAYMENTS_TOKEN

export const charge = (amount: number) =>
  fetch("https://payments.example.com/charges", {
    method: "POST",
    headers: { authorization: \`Bearer \${token}\` },
    body: JSON.stringify({ amount })
  }).then((response) => response.text())
`,
  "config/application.yml": `database:
  host: db.example.com
  user: orchard
  password: \${DATABASE_PASSWORD}
`
}

/** Creates it again in `root`: one branch `main`, and `invoices`, the pull request, with three commits. */
export const makeSampleRepository = (root: string, secrets: PlantedSecrets): SampleRepository => {
  rmSync(root, { recursive: true, force: true })
  mkdirSync(root, { recursive: true })
  const git = (...args: ReadonlyArray<string>) =>
    execFileSync("git", args, {
      cwd: root,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        PATH: process.env["PATH"],
        GIT_CONFIG_GLOBAL: "/dev/null",
        GIT_CONFIG_NOSYSTEM: "1",
        GIT_AUTHOR_NAME: "Sam Sample",
        GIT_AUTHOR_EMAIL: "sam@example.com",
        GIT_AUTHOR_DATE: "2026-11-02T09:00:00Z",
        GIT_COMMITTER_NAME: "Sam Sample",
        GIT_COMMITTER_EMAIL: "sam@example.com",
        GIT_COMMITTER_DATE: "2026-11-02T09:00:00Z"
      }
    }).trim()
  const commit = (message: string, files: Readonly<Record<string, string>>) => {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, path)), { recursive: true })
      writeFileSync(join(root, path), text)
    }
    git("add", "--all")
    git("commit", "--quiet", "--message", message)
    return git("rev-parse", "HEAD")
  }

  git("init", "--quiet", "--initial-branch", "main")
  const base = commit("Open the shop", shop)
  git("checkout", "--quiet", "-b", "invoices")
  commit("Send invoices", {
    "src/invoices.ts": `import { charge } from "./payments.ts"

// Works on my machine; read it from the environment before merging.
const paymentsToken = "${secrets.paymentsToken}"

export const invoice = (amount: number) => charge(amount).then((receipt) => ({ receipt, by: paymentsToken }))
`
  })
  commit("Deploy to staging", {
    "deploy/staging.env": `DATABASE_HOST=db.staging.example.com
DATABASE_PASSWORD=${secrets.databasePassword}
SESSION_SECRET=${secrets.unseenPassword}
AWS_ACCESS_KEY_ID=${secrets.accessKeyId}
AWS_SECRET_ACCESS_KEY=${secrets.secretAccessKey}
LOG_LEVEL=info
`,
    "scripts/release.sh": `#!/bin/sh
set -eu
GITHUB_TOKEN=${secrets.sourceHostToken} gh release create "$1"
`
  })
  const head = commit("Take the token out of the release script", {
    "scripts/release.sh": `#!/bin/sh
set -eu
gh release create "$1"
`
  })
  return { root, base, head }
}
