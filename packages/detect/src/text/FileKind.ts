/** Derives the syntax of a text from its path, and whether its values are real or invented. */

/** How assignments are written; `other` if unknown. */
export type Format =
  | "code"
  | "env"
  | "shell"
  | "yaml"
  | "json"
  | "toml"
  | "ini"
  | "xml"
  | "dockerfile"
  | "terraform"
  | "sql"
  | "prose"
  | "other"

export interface FileKind {
  readonly format: Format
  /**
   * The last segment of the path, in lower case. For a template or a copy of settings, such as `app.conf.j2`, the name
   * of the original.
   */
  readonly name: string
  /** True for documentation. */
  readonly prose: boolean
  /** True for settings of a running system, where an unquoted password is meant literally. */
  readonly settings: boolean
  /** True for the credentials file of a program, where even a weak password is in use. */
  readonly credentials: boolean
  /**
   * True if the file or a folder above it is named for tests, fixtures, examples or documentation: most values there
   * are invented.
   */
  readonly madeUp: boolean
  /** True if a folder above it is: even keys there are invented. */
  readonly belowMadeUp: boolean
  /** True for translations, where `password` is a label. */
  readonly labels: boolean
}

/** Cached by path: a history has many versions of a file. */
export const fileKind = (path: string): FileKind => {
  const known = kinds.get(path)
  if (known !== undefined) return known
  if (kinds.size >= maxKinds) kinds.clear()
  const kind = new KindOfPath(path)
  kinds.set(path, kind)
  return kind
}

const kinds = new Map<string, KindOfPath>()
const maxKinds = 10_000

/** Lazy: files without a candidate never need these answers. */
class KindOfPath implements FileKind {
  readonly format: Format
  readonly name: string
  readonly prose: boolean
  readonly settings: boolean
  readonly #path: string
  #lower: string
  #credentials: boolean | undefined
  #madeUp: boolean | undefined
  #belowMadeUp: boolean | undefined
  #labels: boolean | undefined

  constructor(path: string) {
    this.#path = path
    this.#lower = path.toLowerCase()
    const name = this.#lower.slice(this.#lower.lastIndexOf("/") + 1)
    const rendered = pathOfOriginal(name)
    const isDerived = rendered !== name && (settingsFormats.has(formatOf(rendered)) || credentials.test(rendered))
    this.name = isDerived ? rendered : name
    if (isDerived) this.#lower = this.#lower.slice(0, rendered.length - name.length)
    this.format = kubeconfig.test(this.#lower) ? "yaml" : formatOf(this.name)
    this.prose = this.format === "prose"
    this.settings =
      settingsFormats.has(this.format) ||
      (this.format === "other" && !dataName.test(this.name)) ||
      settingsCode.test(this.#lower)
  }

  get credentials(): boolean {
    return (this.#credentials ??= credentials.test(this.#lower))
  }

  get madeUp(): boolean {
    return (this.#madeUp ??=
      (this.prose && website.test(this.#lower)) || (!robotSuite.test(this.name) && isMadeUp(this.#path)))
  }

  get belowMadeUp(): boolean {
    return (this.#belowMadeUp ??= isMadeUp(this.#path.slice(0, -this.name.length)))
  }

  get labels(): boolean {
    return (this.#labels ??=
      labels.test(this.#lower) || (this.name.endsWith(".properties") && localeBundle.test(this.name)))
  }
}

/** Extensions of templates and of copies. */
const derivedSuffix =
  /\.(?:j2|jinja2?|erb|tmpl|tpl|template|gotmpl|ctmpl|mustache|hbs|liquid|ejs|epp|tftpl|in|dist|bak|backup|old|orig|save|rpmsave|rpmnew|dpkg-(?:old|dist|new)|1)$|~$/i

/** The path of the original of a copy or a template: `.pgpass` for `.pgpass.bak`. */
export const pathOfOriginal = (path: string): string => path.replace(derivedSuffix, "")

const kubeconfig = /(?:^|[/.])kube\/config$|(?:^|[/.])kubeconfig$/

/** Suites of Robot Framework log in to a running system, so they are no tests with invented values. */
const robotSuite = /\.(?:robot|resource)$/

const settingsFormats: ReadonlySet<Format> = new Set<Format>([
  "env",
  "shell",
  "yaml",
  "json",
  "toml",
  "ini",
  "xml",
  "dockerfile",
  "terraform"
])

/** Settings in a programming language. */
const settingsCode =
  /(?:^|\/)(?:wp-config[^/]*|config(?:uration)?|settings(?:[._-]\w+)?|local_settings|database|secrets?|credentials?)\.(?:php|py|rb|js|ts|cjs|mjs|exs?|lua|pl)$/

const credentials =
  /(?:^|\/)(?:[._]netrc|\.npmrc|\.?pgpass(?:\.conf)?|\.(?:e|m)?smtprc|\.fetchmailrc|\.my\.cnf|\.mylogin\.cnf|wp-config\.php|[\w.-]*data-sources\.xml|(?:file)?zilla\.xml|recentservers\.xml|sitemanager\.xml|robomongo\.json|sftp(?:-config)?\.json|\.ftpconfig|\.remote-sync\.json|webservers\.xml|\.s3cfg|\.git-credentials|\.dockercfg|winscp\.ini|\.cifs-?credentials|\.smbcredentials)$/

const madeUp =
  /(?:^|[/._-])(?:tests?|testing|testdata|specs?|fixtures?|mocks?|__mocks__|__tests__|examples?|samples?|demos?|docs?|documentation|guides?|stories|tutorials?|e2e|bench(?:es|marks?|marking)?|fuzz(?:er|ers|ing)?|testcases?|testutils?|cassettes|snapshots|__snapshots__|stubs?|playground|conformance)(?=[/._-]|$)/

/** Pages of a website are documentation; the settings that build it are not. */
const website = /(?:^|\/)website\//

/**
 * Whether the path contains such a word, also within a camel-case name: `dockerTest`, `testFixtures`,
 * `GatewayTests.java`.
 */
const isMadeUp = (path: string): boolean => {
  const outside = path.replace(packages, "$1").replace(bambooSpecs, "")
  const lower = outside.toLowerCase()
  return (
    madeUp.test(lower) ||
    testPackage.test(lower) ||
    apiDescription.test(lower) ||
    manual.test(lower) ||
    madeUpInCamelCase.test(outside) ||
    toBeCopied.test(lower)
  )
}

/** A folder such as `httptest`, as Go names test helpers, or `testsetup`, but not an ordinary word such as `latest`. */
const testPackage =
  /(?:^|\/)(?:(?!la|con|at|pro|grea|fas)[a-z]{2,12}test|test(?!imon|ament|flight|nets?\/)[a-z]{2,12})\//

/** Manuals, changelogs and release notes. */
const manual =
  /(?:^|\/)(?:manual|change(?:s|log)|whats[-_]?new|release[-_]?notes)(?:\.(?:html?|txt|md|rst))?$|(?:^|\/)man(?:\/man)?[1-8]?\/[\w.-]+\.[1-8]$/

/** Descriptions of an API, whose values are examples. */
const apiDescription = /(?:^|\/)(?:swagger|openapi)(?:[._-][\w.-]+)?\.(?:ya?ml|json)$/

/** Templates that users copy and fill in: `.env.dist`, `parameters.yml.dist`, `env.template`. */
const toBeCopied = /[^/]\.dist$|(?:^|[/._-])env[._-](?:template|tmpl|tpl|defaults?)$/

/** A shell script, or a zsh completion. */
const beginsAsShell = /^#(?:!.*sh\b|compdef\b|autoload\b)/
const beginsAsScript = /^#!/
/** The first line of an API description, whatever the file's name. */
const beginsAsApiDescription = /^\s*\{?\s*["']?(?:openapi|swagger)["']?\s*:\s*["']?[23]\.\d/

/** Remembers the last decision: the values of a file ask with the same name in succession. */
export const ofLastName = <A>(decide: (name: string) => A): ((name: string) => A) => {
  let last: { readonly name: string; readonly decision: A } | undefined
  return (name) => {
    if (last?.name !== name) last = { name, decision: decide(name) }
    return last.decision
  }
}

/**
 * Refines the kind of a file by its text: API descriptions contain examples under any name, and scripts may have no
 * extension.
 */
export const kindOfText = (kind: FileKind, text: string): FileKind => {
  const { format } = kind
  const firstLine = text.slice(0, maxFirstLine)
  if (format === "other") {
    if (beginsAsShell.test(firstLine)) return changeKind(kind, { format: "shell" })
    return beginsAsScript.test(firstLine) ? changeKind(kind, { format: "code", settings: false }) : kind
  }
  return (format === "json" || format === "yaml") && beginsAsApiDescription.test(firstLine)
    ? changeKind(kind, { madeUp: true, belowMadeUp: true })
    : kind
}

/** Copies a kind with other properties. A spread would not work, because the properties are lazy getters. */
export const changeKind = (kind: FileKind, changes: Partial<FileKind>): FileKind => {
  const { belowMadeUp, credentials, format, labels, madeUp, name, prose, settings } = kind
  return { belowMadeUp, credentials, format, labels, madeUp, name, prose, settings, ...changes }
}

const maxFirstLine = 200

/** Folders below `src/main` are packages of production code, which project generators name `com.example.demo`. */
const packages = /((?:^|\/)src\/main\/(?:java|kotlin|scala|groovy)\/)(?:[^/]+\/)+/

/** The folder that configures plans of Bamboo. */
const bambooSpecs = /(?:^|\/)bamboo-specs\//

const madeUpInCamelCase =
  /(?:^|\/)(?:tests?|Tests?|fixtures?|Fixtures?|mocks?|Mocks?)[A-Z]\w*\/|[a-z\d](?:Tests?|Specs?|Fixtures?|Mocks?|TestCase|Samples?|Examples?)(?=[/.]|$)/

/** `config_pt_BR.properties`: texts of a Java application in one language. */
const localeBundle =
  /_(?:ar|bg|ca|cs|da|de|el|eo|es|et|eu|fa|fi|fr|ga|gl|he|hi|hr|hu|it|iw|ja|kk|ko|lt|lv|mk|nb|nl|nn|pl|pt|ro|ru|sk|sl|sq|sr|sv|ta|th|tr|uk|vi|zh)(?:_[a-z]{2})?\.properties$/

const labels = /(?:^|[/._-])(?:i18n|l10n|locales?|translations?|lang|langs|languages?|messages|nls|strings)(?=[/._-]|$)/

const dataName = /\.(?:csv|tsv|log|out|txt|dat|jsonl|ndjson|diff|patch)$/

const formatOf = (name: string): Format => {
  const known = byName.find(([pattern]) => pattern.test(name))
  if (known !== undefined) return known[1]
  return byExtension.get(name.slice(name.lastIndexOf(".") + 1)) ?? "other"
}

const byName: ReadonlyArray<readonly [RegExp, Format]> = [
  [/^(?:dockerfile|containerfile)(?:\.|$)|\.dockerfile$/, "dockerfile"],
  [/^\.env(?:\.|rc$|$)|^env$|\.env(?:\.[\w-]+)?$|^\.flaskenv$|^\.dev\.vars$/, "env"],
  [
    /^\.(?:bash|zsh|sh|ksh|fish|ash)[\w]*|^\.(?:profile|zprofile|zlogin|zshenv|exports?|aliases|functions)$|^(?:makefile|gnumakefile|justfile|jenkinsfile|procfile|vagrantfile)$|history$/,
    "shell"
  ],
  [
    /^\.(?:npmrc|pypirc|s3cfg|boto|my\.cnf|muttrc|mailrc|yarnrc|gitconfig|gemrc|passwd-s3fs|credentials|wgetrc|curlrc)$|^(?:credentials|config)$/,
    "ini"
  ],
  [/^\.(?:dockercfg|ftpconfig|remote-sync|babelrc|eslintrc)$/, "json"],
  [/^\.tugboat$|^hub$/, "yaml"],
  // The metadata of a Python package contains its README; a manual page is prose too.
  [/^(?:metadata|pkg-info)$|\w\.[1-8]$/, "prose"]
]

export const extensions: Readonly<Partial<Record<Format, string>>> = {
  code: "def inl td js jsx mjs cjs ts tsx mts cts vue svelte astro py pyi pyw ipynb go java kt kts scala groovy gradle rb erb rake php phtml inc cs vb fs fsx c h cc cpp cxx hpp hh m mm swift rs dart lua pl pm raku r jl ex exs erl hrl clj cljs cljc edn hs ml mli elm nim zig cr d pas asp aspx jsp cshtml razor sol coffee vbs as hx html htm xhtml hbs ejs jinja j2 twig graphql proto css scss less tpl liquid s asm",
  shell: "sh bash zsh ksh fish ps1 psm1 psd1 bat cmd mk command envrc",
  yaml: "yaml yml eyaml sls",
  json: "json json5 jsonc tfstate webmanifest har avsc topojson",
  toml: "toml",
  ini: "ini cfg conf cnf config properties prefs props inf desktop service editorconfig pgpass netrc rdp ovpn reg rc",
  xml: "xml plist xaml csproj vbproj fsproj pom xsd xsl xslt wsdl resx nuspec",
  terraform: "tf tfvars hcl nomad",
  sql: "sql psql mysql ddl dump pgsql",
  prose: "md markdown mdx mediawiki wiki rst adoc asciidoc textile org tex pod"
}

const byExtension = new Map<string, Format>(
  (["code", "shell", "yaml", "json", "toml", "ini", "xml", "terraform", "sql", "prose"] as const).flatMap((format) =>
    (extensions[format] ?? "").split(" ").map((extension) => [extension, format] as const)
  )
)
