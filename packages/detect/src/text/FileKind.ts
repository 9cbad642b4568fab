/** Derives from a path the syntax of a text, and whether its values are real or examples. */

/** How an assignment is written. `other` is anything unknown. */
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
  /** The last segment of the path, in lower case; of a template or a copy of settings, `app.conf.j2`, that of the file itself. */
  readonly name: string
  /** Documentation, or a part of it. */
  readonly prose: boolean
  /** Holds settings of a running system: a bare password there is meant. */
  readonly settings: boolean
  /** A program's credentials file: even a weak password there is in use. */
  readonly credentials: boolean
  /** Named for tests, fixtures, examples or documentation, or below a folder that is: most values there are made up. */
  readonly madeUp: boolean
  /** Below such a folder: the keys there were drawn for them. */
  readonly belowMadeUp: boolean
  /** Translated texts, where `password` is a label. */
  readonly labels: boolean
}

/** The same object for the same path: a history has many versions of a file. */
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

/** Judges what most files are never asked for, those without a candidate, when it is asked for. */
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

/** Endings that engines for templates add to the name of a file, and programs to that of a copy. */
const derivedSuffix =
  /\.(?:j2|jinja2?|erb|tmpl|tpl|template|gotmpl|ctmpl|mustache|hbs|liquid|ejs|epp|tftpl|in|dist|bak|backup|old|orig|save|rpmsave|rpmnew|dpkg-(?:old|dist|new)|1)$|~$/i

/** The path of the file that a copy or a template, `.pgpass.bak`, stands for. */
export const pathOfOriginal = (path: string): string => path.replace(derivedSuffix, "")

const kubeconfig = /(?:^|[/.])kube\/config$|(?:^|[/.])kubeconfig$/

/** A suite of Robot Framework logs in to a system that runs, whatever its folder is called. */
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

/** Settings written in a programming language. */
const settingsCode =
  /(?:^|\/)(?:wp-config[^/]*|config(?:uration)?|settings(?:[._-]\w+)?|local_settings|database|secrets?|credentials?)\.(?:php|py|rb|js|ts|cjs|mjs|exs?|lua|pl)$/

const credentials =
  /(?:^|\/)(?:[._]netrc|\.npmrc|\.?pgpass(?:\.conf)?|\.(?:e|m)?smtprc|\.fetchmailrc|\.my\.cnf|\.mylogin\.cnf|wp-config\.php|[\w.-]*data-sources\.xml|(?:file)?zilla\.xml|recentservers\.xml|sitemanager\.xml|robomongo\.json|sftp(?:-config)?\.json|\.ftpconfig|\.remote-sync\.json|webservers\.xml|\.s3cfg|\.git-credentials|\.dockercfg|winscp\.ini|\.cifs-?credentials|\.smbcredentials)$/

const madeUp =
  /(?:^|[/._-])(?:tests?|testing|testdata|specs?|fixtures?|mocks?|__mocks__|__tests__|examples?|samples?|demos?|docs?|documentation|guides?|stories|tutorials?|e2e|bench(?:es|marks?|marking)?|fuzz(?:er|ers|ing)?|testcases?|testutils?|cassettes|snapshots|__snapshots__|stubs?|playground|conformance)(?=[/._-]|$)/

/** Pages of a project about itself are documentation; the settings that build them are not. */
const website = /(?:^|\/)website\//

/** `dockerTest`, `testFixtures`, `GatewayTests.java`: the word may be a part of a name in camel case. */
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

/** A folder such as `httptest`, as packages of Go that help tests are called, or `testsetup`; `latest` and others are words. */
const testPackage =
  /(?:^|\/)(?:(?!la|con|at|pro|grea|fas)[a-z]{2,12}test|test(?!imon|ament|flight|nets?\/)[a-z]{2,12})\//

/** Manuals, changelogs and release notes. */
const manual =
  /(?:^|\/)(?:manual|change(?:s|log)|whats[-_]?new|release[-_]?notes)(?:\.(?:html?|txt|md|rst))?$|(?:^|\/)man(?:\/man)?[1-8]?\/[\w.-]+\.[1-8]$/

/** Its values are those that the documentation of an API shows. */
const apiDescription = /(?:^|\/)(?:swagger|openapi)(?:[._-][\w.-]+)?\.(?:ya?ml|json)$/

/** Files that are copied and filled in: `.env.dist`, `parameters.yml.dist`, `env.template`. */
const toBeCopied = /[^/]\.dist$|(?:^|[/._-])env[._-](?:template|tmpl|tpl|defaults?)$/

/** A script, also a completion of zsh. */
const beginsAsShell = /^#(?:!.*sh\b|compdef\b|autoload\b)/
const beginsAsScript = /^#!/
/** Its first line names the format, whatever the file is called. */
const beginsAsApiDescription = /^\s*\{?\s*["']?(?:openapi|swagger)["']?\s*:\s*["']?[23]\.\d/

/** Decides once for each file: its values ask with one name after the other. */
export const ofLastName = <A>(decide: (name: string) => A): ((name: string) => A) => {
  let last: { readonly name: string; readonly decision: A } | undefined
  return (name) => {
    if (last?.name !== name) last = { name, decision: decide(name) }
    return last.decision
  }
}

/** The kind of a file once its text is known: a description of an API holds examples under any name, a script may have no ending. */
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

/** A kind with other properties; those of a file's path are computed when they are read, so that they cannot be spread. */
export const changeKind = (kind: FileKind, changes: Partial<FileKind>): FileKind => {
  const { belowMadeUp, credentials, format, labels, madeUp, name, prose, settings } = kind
  return { belowMadeUp, credentials, format, labels, madeUp, name, prose, settings, ...changes }
}

const maxFirstLine = 200

/** Folders below `src/main` are packages of shipped code, which project generators name `com.example.demo`. */
const packages = /((?:^|\/)src\/main\/(?:java|kotlin|scala|groovy)\/)(?:[^/]+\/)+/

/** The folder in which Bamboo's plans are set up. */
const bambooSpecs = /(?:^|\/)bamboo-specs\//

const madeUpInCamelCase =
  /(?:^|\/)(?:tests?|Tests?|fixtures?|Fixtures?|mocks?|Mocks?)[A-Z]\w*\/|[a-z\d](?:Tests?|Specs?|Fixtures?|Mocks?|TestCase|Samples?|Examples?)(?=[/.]|$)/

/** `config_pt_BR.properties`: texts of an application of Java in one language. */
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
  // A package of Python has its README behind a few headers; a page of a manual is prose, too.
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
  prose: "md markdown mdx rst adoc asciidoc textile org tex pod"
}

const byExtension = new Map<string, Format>(
  (["code", "shell", "yaml", "json", "toml", "ini", "xml", "terraform", "sql", "prose"] as const).flatMap((format) =>
    (extensions[format] ?? "").split(" ").map((extension) => [extension, format] as const)
  )
)
