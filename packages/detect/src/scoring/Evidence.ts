/** The evidence that a rule reports about a value. Features.ts adds features of the value itself and of its file. */

/** Why the value may be a secret. */
export type Form = TypedForm | DrawnForm | MarkedForm

/** A value that a person chose: it may be short and plain. */
export type TypedForm =
  /** Assigned to a name that means a password. */
  | "password"
  /** An argument, a statement or a header whose value can only be a password. */
  | "login"
  /** Part of a URL or a connection string. */
  | "url"
  /** A cell in a named column of a table. */
  | "column"
  /** A value in a file that only contains credentials. */
  | "credential-file"
  /** An entry of a Kubernetes Secret. */
  | "kubernetes"

/** A value that a program generates at random. */
export type DrawnForm =
  /** Assigned to a name that means a token. */
  | "token"
  /** Assigned to a name that may mean something else, such as `key`. */
  | "key"
  /** Assigned to a name that rarely means a secret. */
  | "perhaps"
  /** The token in an `Authorization` header. */
  | "header"
  /** The only content of a file whose name says so. */
  | "token-file"

/** The format of the value identifies it. */
export type MarkedForm =
  | "provider-token"
  /** A provider's format that other values also have. */
  | "loose-format"
  /** The id of a key, which is useless without its secret. */
  | "key-id"
  | "jwt"
  | "private-key"

export interface Evidence {
  readonly form: Form
  readonly value: string
  /** Offset of the value in the text. */
  readonly start: number
  /** The name that the value is assigned to, as written. */
  readonly name?: string | undefined
  /** True if the value has no quotes, so that it ends at the next space or the end of the line. */
  readonly bare?: boolean | undefined
  /** True for a comparison, a default or an argument: weaker evidence than an assignment. */
  readonly indirect?: boolean | undefined
  /** True if the literal before the value can only be a user name. */
  readonly besideUser?: boolean | undefined
  /** True for a value of a list or mapping: the name is that of the whole list. */
  readonly listed?: boolean | undefined
  /** True if the value belongs to a local or an example host. */
  readonly localHost?: boolean | undefined
}
