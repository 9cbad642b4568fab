/** Repositories of every kind, with their expected reports: one list for the tests of all programs. */
import { execFileSync } from "node:child_process"
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { pathToFileURL } from "node:url"
import type { CoverageReason, Skipped } from "@threat-exposure/leak-check/Coverage"
import { ConfigProvider, Effect } from "effect"

export interface RepositoryKind {
  readonly name: string
  /** Creates the repository in an empty folder. Returns the root to check, or nothing if it is that folder. */
  readonly make: (tools: Tools) => string | void
  /** Files with candidates in a scan of the tree. */
  readonly found: ReadonlyArray<string>
  /** Names of skipped files by reason. */
  readonly skipped: { readonly [reason in CoverageReason]?: ReadonlyArray<string> }
  /** True if the tree cannot be read at all, so that no program may call it clean. */
  readonly fails?: boolean
  /** Must not run as the superuser, who can read every file. */
  readonly asOrdinaryUser?: boolean
}

/** The skipped files of a check, in the format of `RepositoryKind.skipped`. */
export const namesByReason = (skipped: ReadonlyArray<Skipped>): RepositoryKind["skipped"] =>
  Object.fromEntries(skipped.map(({ names, reason }) => [reason, names.toSorted()]))

interface Tools {
  readonly root: string
  readonly git: (...args: ReadonlyArray<string>) => string
  readonly write: (path: string, content: string | Uint8Array) => void
  readonly commit: () => void
  /** Returns the path of a folder next to the root. */
  readonly beside: (name: string) => string
}

/** A synthetic random value. */
const secret = "DB_PASSWORD=k7VqAZr9tXw2Lp\n"

const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${"4d7a2146".repeat(8)}\nsize 12345\n`

export const repositoryKinds: ReadonlyArray<RepositoryKind> = [
  {
    name: "an ordinary one",
    make: ({ commit, write }) => {
      write("a.env", secret)
      commit()
      write("untracked.env", secret)
    },
    found: ["a.env", "untracked.env"],
    skipped: {}
  },
  {
    name: "an empty one, without a commit",
    make: ({ write }) => write("a.env", secret),
    found: ["a.env"],
    skipped: {}
  },
  {
    name: "a bare one",
    make: ({ git }) => void git("config", "core.bare", "true"),
    found: [],
    skipped: {},
    fails: true
  },
  {
    name: "a folder that is no repository",
    make: ({ root, write }) => {
      rmSync(join(root, ".git"), { recursive: true })
      write("a.env", secret)
    },
    found: ["a.env"],
    skipped: {}
  },
  {
    name: "a folder of repositories that is none itself",
    make: ({ root, write }) => {
      rmSync(join(root, ".git"), { recursive: true })
      execFileSync("git", ["init", "-q", join(root, "inner")])
      write("inner/.gitignore", "*.log\n")
      write("inner/a.log", secret)
      write("inner/b.env", secret)
    },
    found: ["inner/b.env"],
    skipped: { ignored: ["inner/a.log"] }
  },
  {
    name: "a folder of a repository, whose root has the rules",
    make: ({ commit, root, write }) => {
      write(".gitignore", "*.log\n")
      write(".gitleaks.toml", "[allowlist]\npaths = ['''^sub/old/''']\n")
      write("sub/.gitleaks.toml", "[allowlist]\npaths = ['''.*''']\n")
      write("sub/a.env", secret)
      write("sub/old/b.env", secret)
      commit()
      write("sub/c.log", secret)
      write("sub/node_modules/d.env", secret)
      return join(root, "sub")
    },
    found: ["a.env"],
    skipped: { allowlisted: ["old/b.env"], ignored: ["c.log"], vendored: ["node_modules/d.env"] }
  },
  {
    name: "a head that is on no branch",
    make: ({ commit, git, write }) => {
      write("a.env", secret)
      commit()
      git("checkout", "-q", "--detach")
    },
    found: ["a.env"],
    skipped: {}
  },
  {
    name: "a worktree",
    make: ({ beside, commit, git, write }) => {
      write("a.env", secret)
      commit()
      git("worktree", "add", "-q", beside("worktree"))
      return beside("worktree")
    },
    found: ["a.env"],
    skipped: {}
  },
  {
    name: "a worktree whose repository is not here",
    make: ({ beside, commit, git, root, write }) => {
      write(".gitignore", "a.env\n")
      write("a.env", secret)
      commit()
      git("worktree", "add", "-q", beside("worktree"))
      rmSync(join(root, ".git"), { recursive: true })
      return beside("worktree")
    },
    found: [],
    skipped: {},
    fails: true
  },
  {
    name: "a damaged one",
    make: ({ commit, root, write }) => {
      write(".gitignore", "a.env\n")
      write("a.env", secret)
      commit()
      rmSync(join(root, ".git", "HEAD"))
    },
    found: [],
    skipped: {},
    fails: true
  },
  {
    name: "a folder of one that looks like a bare one",
    make: ({ commit, root, write }) => {
      execFileSync("git", ["init", "-q", "--bare", join(root, "folder")])
      write("folder/a.env", secret)
      write("b.env", secret)
      commit()
      return join(root, "folder")
    },
    found: [],
    skipped: {},
    fails: true
  },
  {
    name: "a shallow clone",
    make: ({ beside, commit, root, write }) => {
      write("a.env", secret)
      commit()
      write("b.env", secret)
      commit()
      execFileSync("git", ["clone", "-q", "--depth=1", pathToFileURL(root).href, beside("shallow")])
      return beside("shallow")
    },
    found: ["a.env", "b.env"],
    skipped: {}
  },
  {
    name: "a sparse checkout",
    make: ({ commit, git, write }) => {
      write("in/a.env", secret)
      write("out/b.env", secret)
      commit()
      git("sparse-checkout", "set", "--cone", "in")
    },
    found: ["in/a.env"],
    skipped: { "not-checked-out": ["out/b.env"] }
  },
  {
    name: "a file outside of a sparse checkout that is there",
    make: ({ commit, git, write }) => {
      write("in/a.env", secret)
      write("out/b.env", "A=1\n")
      commit()
      git("update-index", "--skip-worktree", "out/b.env")
      write("out/b.env", secret)
    },
    found: ["in/a.env", "out/b.env"],
    skipped: {}
  },
  {
    name: "a clone without a checkout",
    make: ({ beside, commit, root, write }) => {
      write("a.env", secret)
      commit()
      execFileSync("git", ["clone", "-q", "--no-checkout", root, beside("empty")])
      return beside("empty")
    },
    found: [],
    skipped: { "not-checked-out": ["a.env"] }
  },
  {
    name: "a submodule that is not initialised",
    make: ({ beside, commit, git, root, write }) => {
      write("inner.env", secret)
      commit()
      execFileSync("git", ["clone", "-q", root, beside("inner")])
      git("rm", "-q", "inner.env")
      git("-c", "protocol.file.allow=always", "submodule", "add", "-q", beside("inner"), "module")
      commit()
      git("submodule", "deinit", "-q", "-f", "module")
    },
    found: [],
    skipped: { submodule: ["module"] }
  },
  {
    name: "a repository inside, which is not tracked",
    make: ({ root, write }) => {
      execFileSync("git", ["init", "-q", join(root, "inner")])
      write("inner/b.env", secret)
      write("a.env", secret)
    },
    found: ["a.env"],
    skipped: { submodule: ["inner"] }
  },
  {
    name: "files that Git LFS keeps",
    make: ({ commit, write }) => {
      write("model.dat", pointer)
      write("a.env", secret)
      commit()
    },
    found: ["a.env"],
    skipped: { "lfs-pointer": ["model.dat"] }
  },
  {
    name: "a tracked symbolic link inside",
    make: ({ commit, root, write }) => {
      write("a.env", secret)
      symlinkSync("a.env", join(root, "link.env"))
      commit()
    },
    found: ["a.env"],
    skipped: { "symbolic-link": ["link.env"] }
  },
  {
    name: "an untracked symbolic link that leads out",
    make: ({ beside, root, write }) => {
      writeFileSync(beside("outside"), secret)
      symlinkSync(beside("outside"), join(root, "link.env"))
      write("a.env", secret)
    },
    found: ["a.env"],
    skipped: { "symbolic-link": ["link.env"] }
  },
  {
    name: "a folder that became a symbolic link",
    make: ({ beside, commit, root, write }) => {
      write("folder/a.env", secret)
      commit()
      mkdirSync(beside("elsewhere"))
      writeFileSync(join(beside("elsewhere"), "a.env"), secret)
      rmSync(join(root, "folder"), { recursive: true })
      symlinkSync(beside("elsewhere"), join(root, "folder"))
    },
    found: [],
    skipped: { "symbolic-link": ["folder", "folder/a.env"] }
  },
  {
    name: "a file that may not be read",
    make: ({ commit, root, write }) => {
      write("a.env", secret)
      write("b.env", secret)
      commit()
      chmodSync(join(root, "b.env"), 0)
    },
    found: ["a.env"],
    skipped: { unreadable: ["b.env"] },
    asOrdinaryUser: true
  },
  {
    name: "an untracked folder that may not be opened",
    make: ({ root, write }) => {
      write("a.env", secret)
      write("folder/b.env", secret)
      chmodSync(join(root, "folder"), 0)
    },
    found: ["a.env"],
    skipped: { unreadable: ["folder"] },
    asOrdinaryUser: true
  },
  {
    name: "a file over the limit",
    make: ({ write }) => {
      write("a.env", secret)
      write("big.env", Buffer.alloc(50 * 1024 * 1024 + 1, "x"))
    },
    found: ["a.env"],
    skipped: { "too-large": ["big.env"] }
  },
  {
    name: "binary files",
    make: ({ commit, write }) => {
      write("data", Uint8Array.of(1, 0, 2))
      write("logo.png", "x")
      write("a.env", secret)
      commit()
    },
    found: ["a.env"],
    skipped: { binary: ["data", "logo.png"] }
  },
  {
    name: "UTF-16 with and without a byte order mark",
    make: ({ write }) => {
      write("marked.env", Buffer.from(`\ufeff${secret}`, "utf16le"))
      write("plain.env", Buffer.from(secret, "utf16le"))
    },
    found: ["marked.env", "plain.env"],
    skipped: {}
  },
  {
    name: "files that git ignores",
    make: ({ write }) => {
      write(".gitignore", "*.log\nbuild/\n")
      write("a.env", secret)
      write("a.log", secret)
      write("build/b.env", secret)
      write("build/c.env", secret)
    },
    found: ["a.env"],
    skipped: { ignored: ["a.log", "build/"] }
  },
  {
    name: "generated, vendored, minified, locked and encrypted files",
    make: ({ commit, write }) => {
      write(".gitattributes", "gen/** linguist-generated\n")
      write("gen/a.env", secret)
      write("marked.go", `// Code generated by tool. DO NOT EDIT.\n${secret}`)
      write("node_modules/p/b.env", secret)
      write("app.min.js", secret)
      write("yarn.lock", secret)
      write("vault.yml", `$ANSIBLE_VAULT;1.1;AES256\n6162\n`)
      write("a.env", secret)
      commit()
    },
    found: ["a.env"],
    skipped: {
      generated: ["gen/a.env", "marked.go"],
      vendored: ["node_modules/p/b.env"],
      minified: ["app.min.js"],
      "lock-file": ["yarn.lock"],
      encrypted: ["vault.yml"]
    }
  },
  {
    name: "allow comments and allowlists",
    make: ({ commit, write }) => {
      write(
        ".gitleaks.toml",
        "[extend]\nuseDefault = true\n[allowlist]\npaths = ['''^old/''']\nregexes = ['''^z9''']\n"
      )
      write("a.env", `${secret.trim()} # gitleaks:allow\n`)
      write("b.env", "DB_PASSWORD=z9VqAZr9tXw2Lp\n")
      write("c.env", secret)
      write("old/d.env", secret)
      commit()
    },
    found: ["c.env"],
    skipped: {
      "allow-comment": ["a.env:1"],
      allowlisted: [".gitleaks.toml", "b.env:1", "old/d.env"],
      "config-unsupported": [
        ".gitleaks.toml: useDefault: ignored, because the built-in rules of this program run instead of those of gitleaks"
      ]
    }
  },
  {
    name: "a .gitleaks.toml that cannot be used",
    make: ({ write }) => {
      write(".gitleaks.toml", '[extend]\npath = "../rules.toml"\n')
      write("a.env", secret)
    },
    found: ["a.env"],
    skipped: {
      allowlisted: [".gitleaks.toml"],
      "config-unusable": ['.gitleaks.toml extends "../rules.toml", which leads out of the repository']
    }
  }
]

/** Creates the repository in a temporary folder, which is removed with the scope. */
export const repositoryOf = (kind: RepositoryKind) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => createRepository(kind)),
      ({ folder }) =>
        Effect.sync(() => {
          openAll(folder)
          rmSync(folder, { recursive: true, force: true })
        })
    ),
    ({ root }) => root
  )

const createRepository = (kind: RepositoryKind) => {
  const folder = mkdtempSync(join(tmpdir(), "repository-kind-"))
  const root = join(folder, "root")
  mkdirSync(root)
  // Without the last setting, each commit starts another git process.
  const settings = ["user.name=a", "user.email=a@example.com", "commit.gpgsign=false", "maintenance.auto=false"]
  const flags = settings.flatMap((setting) => ["-c", setting])
  const git = (...args: ReadonlyArray<string>) =>
    execFileSync("git", [...flags, ...args], {
      cwd: root,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"]
    }).trim()
  git("init", "-q", "-b", "main")
  const write = (path: string, content: string | Uint8Array) => {
    mkdirSync(join(root, dirname(path)), { recursive: true })
    writeFileSync(join(root, path), content)
  }
  const commit = () => {
    git("add", "-f", "-A")
    git("commit", "-q", "-m", "change")
  }
  const other = kind.make({ root, git, write, commit, beside: (name) => join(folder, name) })
  if (kind.asOrdinaryUser === true && isSuperuser) giveAway(folder)
  return { folder, root: typeof other === "string" ? other : root }
}

const isSuperuser = process.getuid?.() === 0

/** The id of the user `nobody` on most systems. */
const nobody = 65_534

const giveAway = (path: string) => {
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    if (entry.isDirectory()) giveAway(join(path, entry.name))
    else chownSync(join(path, entry.name), nobody, nobody)
  }
  chownSync(path, nobody, nobody)
}

const openAll = (path: string) => {
  chmodSync(path, 0o700)
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    if (entry.isDirectory()) openAll(join(path, entry.name))
  }
}

/** Runs the effect without superuser rights, which would allow reading every file. */
export const asUserOf = <A, E, R>(kind: RepositoryKind, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  kind.asOrdinaryUser === true && isSuperuser
    ? Effect.acquireUseRelease(
        Effect.sync(() => process.seteuid?.(nobody)),
        // git fails if it cannot read its user's configuration.
        () =>
          Effect.provide(
            effect,
            ConfigProvider.layerAdd(ConfigProvider.fromEnv({ env: { HOME: "/nowhere" } }), { asPrimary: true })
          ),
        () => Effect.sync(() => process.seteuid?.(0))
      )
    : effect
