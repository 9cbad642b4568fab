import { mkdirSync } from "node:fs"
import { basename, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { gitLayer } from "@threat-exposure/detect/node/NodeScanner"
import { Clone, layer as cloneLayer } from "@threat-exposure/leak-check/range/Clone"
import { repositoryNameIn, repositoryNameOf } from "@threat-exposure/leak-check/range/RepositoryName"
import { testRepository } from "@threat-exposure/leak-check/testing/TestRepository"
import { Effect, Layer } from "effect"

describe("the name of a repository", () => {
  it.effect("is that of its remote, or else of its top folder, wherever in it a check runs", () =>
    Effect.gen(function* () {
      const repository = yield* testRepository
      const { path } = repository
      mkdirSync(join(path, "src"))
      const named = (root: string, isTop?: boolean) =>
        Effect.flatMap(Clone, ({ repositoryName }) => repositoryName).pipe(
          Effect.provide(Layer.provide(cloneLayer({ root, isTop }), gitLayer))
        )
      const folder = basename(path).toLowerCase()
      for (const name of [named(path), named(path, true), named(join(path, "src"))]) {
        assert.strictEqual(yield* name, folder)
      }
      assert.strictEqual(yield* named("/No/Repository/"), "repository")
      repository.git("remote", "add", "origin", "git@git.example.com:Example/Orchard.git")
      assert.strictEqual(yield* named(join(path, "src")), "git.example.com/example/orchard")
    })
  )

  it("is the same in a workflow and in every clone", () => {
    for (const address of [
      "https://github.com/Example/Orchard",
      "https://github.com/example/orchard.git",
      "https://user:word@github.com:443/example/orchard.git/",
      "git@github.com:example/orchard.git",
      "github.com:example/orchard",
      "git@github.com:/example/orchard",
      "ssh://git@github.com:22/example/orchard.git",
      "git://GitHub.com/example/orchard"
    ]) {
      assert.strictEqual(repositoryNameOf(address), "github.com/example/orchard", address)
      const config = `[core]\n\tbare = false\n[remote "fork"]\n\turl = https://elsewhere.example/x/y\n[remote "origin"]\n\turl = ${address}\n\tfetch = +refs/*\n`
      assert.strictEqual(repositoryNameIn(config), "github.com/example/orchard", address)
    }
    assert.strictEqual(repositoryNameOf("https://git.example.com/a/b/c.git"), "git.example.com/a/b/c")
  })

  it("does not depend on a folder, or on another remote", () => {
    for (const address of [
      "/srv/git/orchard",
      "../orchard",
      "file:///srv/git/orchard",
      "C:\\git\\orchard",
      "C:/git/orchard"
    ]) {
      assert.isUndefined(repositoryNameOf(address), address)
    }
    assert.isUndefined(repositoryNameIn('[remote "fork"]\n\turl = https://elsewhere.example/x/y\n'))
  })
})
