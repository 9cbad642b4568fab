import { assert, it } from "@effect/vitest"
import { fileKind } from "../../src/text/FileKind.ts"

it("tests, fixtures and examples are recognised by a word of their path, also in camel case", () => {
  for (const path of [
    "src/test/A.java",
    "pkg/server_test.go",
    "module/src/dockerTest/resources/a.yml",
    "module/src/testFixtures/key.pem",
    "test/resources/ComputerTest/config.xml",
    "src/GatewayTests.java",
    "src/LoginSpec.groovy",
    "web/login.spec.ts",
    "web/__tests__/a.js",
    "docs/guide.md",
    "app/config/parameters.yml.dist",
    ".env.dist",
    "docker/env.template",
    "testsetup/certs/ca.key",
    "internal/conformance/keys.go",
    "docker/CHANGELOG.md",
    "zip/WHATSNEW",
    "misc/benchmarking/load.yml",
    "share/man/man5/app.5"
  ]) {
    assert.isTrue(fileKind(path).madeUp, path)
  }
  for (const path of [
    "src/latest/a.yml",
    "src/testimonials/a.yml",
    "deploy/testflight/a.yml",
    "logs/app.log.1",
    "change/app.yml",
    "src/Contest.java",
    "src/Attestation.go",
    "config/app.yml",
    "src/inspector.ts",
    "dist/app.yml",
    "stack.template",
    "templates/secret.yaml",
    "src/main/java/com/example/demo/Config.java"
  ]) {
    assert.isFalse(fileKind(path).madeUp, path)
  }
})

it("a bundle of one language contains labels", () => {
  assert.isTrue(fileKind("a/config_pt_BR.properties").labels)
  assert.isTrue(fileKind("a/login_pl.properties").labels)
  assert.isFalse(fileKind("a/application.properties").labels)
})
