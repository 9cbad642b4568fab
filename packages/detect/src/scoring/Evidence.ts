/** The evidence that a rule reports about a value. Features.ts adds features of the value itself and of its file. */

/** Why the value may be a secret. */
export type Form = TypedForm | DrawnForm | MarkedForm

/** A value chosen by a person: its form says little, and even a short plain word may be in use. */
export type TypedForm =
  /** Assigned to a name that means a password. */
  | "password"
  /** An argument, a statement or a header that can only be a password. */
  | "login"
  /** In a URL or a data source. */
  | "url"
  /** In the column of a table. */
  | "column"
  /** In a file that holds nothing but credentials. */
  | "credential-file"
  /** An entry of a Kubernetes Secret. */
  | "kubernetes"

/** A value generated at random by a program. */
export type DrawnForm =
  /** Assigned to a name that means a token. */
  | "token"
  /** Assigned to a name that may mean something else, such as `key`. */
  | "key"
  /** Assigned to a name that rarely means a secret. */
  | "perhaps"
  /** In an `Authorization` header. */
  | "header"
  /** The one content of a file named for it. */
  | "token-file"

/** The format of the value identifies it. */
export type MarkedForm =
  | "provider-token"
  /** The form of a provider's id or token that other values have too. */
  | "loose-format"
  /** The id of a key, which opens nothing without its secret. */
  | "key-id"
  | "jwt"
  | "private-key"

export interface Evidence {
  readonly form: Form
  readonly value: string
  /** Offset in the text. */
  readonly start: number
  /** The name that it is assigned to, unchanged. */
  readonly name?: string | undefined
  /** The value has no quotes: it ends at the next blank or the end of the line. */
  readonly bare?: boolean | undefined
  /** A comparison, a default or an argument: less than an assignment. */
  readonly indirect?: boolean | undefined
  /** The literal before it can only be a user name. */
  readonly besideUser?: boolean | undefined
  /** One of several in a list or a mapping that has the name. */
  readonly listed?: boolean | undefined
  /** It belongs to a host that is local or an example. */
  readonly localHost?: boolean | undefined
}
