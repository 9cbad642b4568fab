/** The formats are those of real scanners; the values are invented. */
import { assert, describe, it } from "vitest"
import { readFindings } from "../../src/check/ScannerFindings.ts"

const base64 = (text: string) => Buffer.from(text).toString("base64")

const of = (text: string) =>
  readFindings(text).values.map(({ line, path, rule, value }) => `${rule} ${path}:${line} ${value}`)

const gitleaks = {
  RuleID: "github-pat",
  Description: "A token",
  StartLine: 3,
  EndLine: 3,
  StartColumn: 15,
  EndColumn: 54,
  Match: "token=v4lue-one",
  Secret: "v4lue-one",
  File: "app.env",
  SymlinkFile: "",
  Commit: "a98642485a52f516545f4bcc10d36b33e2b33ebb",
  Entropy: 4.8,
  Tags: [],
  Fingerprint: "app.env:github-pat:3"
}

const trufflehog = {
  SourceMetadata: { Data: { Filesystem: { file: "app.env", line: 2 } } },
  SourceID: 1,
  SourceType: 15,
  DetectorType: 2,
  DetectorName: "AWS",
  Verified: false,
  Raw: "AKIAV4LUEONE",
  RawV2: "AKIAV4LUEONE:v4lue-two",
  Redacted: "AKIAV4LUEONE",
  ExtraData: null
}

const kingfisher = {
  rule: { title: "A => [B]", name: "aws-access-token", id: "kingfisher.aws.2", description: "" },
  finding: {
    dependent_captures: { AWS_SECRET_ACCESS_KEY: "v4lue-two" },
    snippet: "v4lue-one",
    fingerprint: "1060274531822317016",
    line: 1,
    column_start: 18,
    column_end: 37,
    path: "app.env",
    git_metadata: { commit: { id: "a98642485a52f516545f4bcc10d36b33e2b33ebb" } }
  }
}

const noseyParker = {
  finding_id: "dec85501510891d385707a1db0fe09fa161f1d8e",
  rule_name: "Generic Password",
  rule_text_id: "np.generic.5",
  groups: [base64("v4lue-one")],
  num_matches: 2,
  matches: [
    {
      provenance: [{ kind: "file", path: "app.env" }],
      location: { source_span: { start: { line: 10, column: 10 }, end: { line: 10, column: 34 } } },
      snippet: { before: "", matching: "password: v4lue-one", after: "" },
      groups: [base64("v4lue-one")]
    },
    {
      provenance: [
        { kind: "git_repo", repo_path: ".", first_commit: { blob_path: "b.env", commit_metadata: { commit_id: "a1" } } }
      ],
      location: { source_span: { start: { line: 4, column: 1 } } }
    }
  ]
}

const noseyParker016 = {
  type: "finding",
  rule_name: "Generic Password",
  match_content: "v4lue-one",
  num_matches: 2,
  matches: [
    {
      provenance: [{ kind: "file", path: "app.env" }],
      location: { source_span: { start: { line: 10, column: 10 } } },
      match_content: "v4lue-one"
    },
    {
      provenance: [
        {
          kind: "git_repo",
          repo_path: ".git",
          commit_provenance: { blob_path: "b.env", commit_metadata: { commit_id: "a1" } }
        }
      ],
      location: { source_span: { start: { line: 4, column: 1 } } }
    }
  ]
}

const titus = {
  ID: "test-finding-abc",
  RuleID: "np.test.1",
  Groups: [base64("v4lue-one"), base64("v4lue-two")],
  Matches: [{ RuleID: "np.test.1", Location: { Source: { Start: { Line: 7, Column: 2 } } }, Groups: null }]
}

const betterleaks = {
  rule_id: "aws-access-token",
  match: { full: "v4lue-one", value: "v4lue-one" },
  attributes: { "git.sha": "a1", resource: "git.patch_content" },
  location: { path: "app.env", start_line: 3, end_line: 3, start_column: 9, end_column: 28 },
  component_sets: [
    {
      components: [
        {
          rule_id: "aws-secret-access-key",
          match: { full: "k=v4lue-two", value: "v4lue-two" },
          location: { path: "app.env", start_line: 4, start_column: 5 }
        }
      ]
    }
  ]
}
const pair = ["aws-access-token app.env:3 v4lue-one", "aws-secret-access-key app.env:4 v4lue-two"]

describe("findings of other scanners", () => {
  it.each([
    ["gitleaks 8.30.1", [1, 2].map((line) => Object.assign({}, gitleaks, { StartLine: line, StartColumn: 5 + line }))],
    [
      "kingfisher 2.14.0",
      [1, 2].map((line) => ({
        rule: kingfisher.rule,
        finding: { snippet: "v4lue-one", line, column_start: 5 }
      }))
    ]
  ])("counts columns from 1 in a report of %s on two lines with a value in column 6", (_scanner, report) => {
    assert.deepEqual(
      readFindings(JSON.stringify(report)).values.map(({ column, line }) => [line, column]),
      [
        [1, 6],
        [2, 6]
      ]
    )
  })

  it.each([
    ["gitleaks", JSON.stringify([gitleaks]), ["github-pat app.env:3 v4lue-one"]],
    [
      "betterleaks",
      JSON.stringify([
        {
          ...gitleaks,
          Attributes: { path: "app.env" },
          RequiredSets: [{ components: [{ RuleID: "key-id", StartLine: 9, StartColumn: 1, Secret: "v4lue-two" }] }]
        }
      ]),
      ["github-pat app.env:3 v4lue-one", "key-id app.env:9 v4lue-two"]
    ],
    ["betterleaks 2", JSON.stringify({ schema_version: "1", findings: [betterleaks] }), pair],
    [
      "betterleaks 2 in lines",
      `${JSON.stringify({ schema_version: "1", finding: betterleaks })}\n{"schema_version":"1","scan":{"state":"complete"}}\n`,
      pair
    ],
    [
      "trufflehog",
      `{"level":"info-0","msg":"running"}\n${JSON.stringify(trufflehog)}\n`,
      ["AWS app.env:2 AKIAV4LUEONE", "AWS app.env:2 v4lue-two"]
    ],
    [
      "kingfisher",
      JSON.stringify({ findings: [kingfisher], metadata: {} }),
      ["kingfisher.aws.2 app.env:1 v4lue-one", "kingfisher.aws.2 app.env:1 v4lue-two"]
    ],
    [
      "kingfisher in lines",
      `${JSON.stringify(kingfisher)}\n{"findings":2,"blobs_scanned":28}\n`,
      ["kingfisher.aws.2 app.env:1 v4lue-one", "kingfisher.aws.2 app.env:1 v4lue-two"]
    ],
    [
      "kingfisher 2.14 in lines",
      `${JSON.stringify(kingfisher)}\n{"audit":{"schema":"kingfisher.repository-audit.v1","summary":{"discovered":1}}}\n`,
      ["kingfisher.aws.2 app.env:1 v4lue-one", "kingfisher.aws.2 app.env:1 v4lue-two"]
    ],
    ["kingfisher 2.14 without findings", '{"audit":{"schema":"kingfisher.repository-audit.v1"}}\n', []],
    [
      "Nosey Parker",
      JSON.stringify([noseyParker]),
      ["np.generic.5 app.env:10 v4lue-one", "np.generic.5 b.env:4 v4lue-one"]
    ],
    [
      "Nosey Parker 0.16",
      `${JSON.stringify(noseyParker016)}\n`,
      ["Generic Password app.env:10 v4lue-one", "Generic Password b.env:4 v4lue-one"]
    ],
    [
      "several scanners in one file",
      `[INFO] 2 findings\n${JSON.stringify([gitleaks])}\n  ${JSON.stringify(kingfisher)}\n`,
      ["github-pat app.env:3 v4lue-one", "kingfisher.aws.2 app.env:1 v4lue-one", "kingfisher.aws.2 app.env:1 v4lue-two"]
    ],
    ["titus", JSON.stringify([titus]), ["np.test.1 :7 v4lue-one", "np.test.1 :7 v4lue-two"]]
  ])("of %s are read, with their rules and places", (_, text, expected) => {
    assert.deepStrictEqual(of(text), expected)
    assert.deepInclude(readFindings(text), { hidden: [], isUnknown: false, unread: 0 })
  })

  it("without their value are told apart from those with one", () => {
    for (const hidden of [
      { ...gitleaks, Secret: "REDACTED" },
      { ...betterleaks, match: { value: "REDACTED" }, component_sets: [] },
      { ...gitleaks, Secret: "v4l..." },
      { ...gitleaks, Secret: "" },
      { ...gitleaks, Secret: " \n" },
      { ...kingfisher, finding: { ...kingfisher.finding, dependent_captures: {}, snippet: "[REDACTED:8d56d7a7]" } },
      { ...trufflehog, Raw: "", RawV2: "" },
      { ...titus, Groups: null, Matches: null }
    ]) {
      const { hidden: found, values } = readFindings(JSON.stringify([hidden, gitleaks]))
      assert.deepStrictEqual([found.length, values.length], [1, 1])
    }
  })

  it("are unknown, or not all read, unless a scanner wrote all of the text", () => {
    for (const text of ["DB_PASSWORD=x", "{}", '[{"a":1}]', '"text"', "[1]"]) {
      assert.isTrue(readFindings(text).isUnknown, text)
    }
    for (const text of ["", "[]", "null", '{"findings":[]}', '{"findings":null}'])
      assert.isFalse(readFindings(text).isUnknown, text)
    assert.strictEqual(readFindings(`${JSON.stringify(trufflehog)}\n{"DetectorName":"AW`).unread, 1)
    assert.strictEqual(readFindings(`${JSON.stringify(trufflehog)}\n[{"RuleID":"a`).unread, 1)
    assert.strictEqual(readFindings(JSON.stringify([gitleaks, { a: 1 }])).unread, 1)
  })

  it("have as values only texts, however a scanner describes its captures", () => {
    const captures = { ID: "v4lue-two", PORT: 5432, PLACE: { line: 1 }, NONE: null }
    const finding = { ...kingfisher.finding, dependent_captures: captures }
    assert.deepStrictEqual(
      readFindings(JSON.stringify([{ ...kingfisher, finding }])).values.map(({ value }) => value),
      ["v4lue-one", "v4lue-two"]
    )
  })
})
