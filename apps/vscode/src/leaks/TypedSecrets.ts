/** Possible secrets in open files, by file. They were not searched. */
import { Context, Layer, Predicate } from "effect"
import type { Finding } from "../editor/Editor.ts"
import type { Occurrence } from "./LeakOccurrence.ts"

export interface TypedSecret extends Occurrence {
  readonly finding: Finding
}

export class TypedSecrets extends Context.Service<
  TypedSecrets,
  {
    readonly files: () => ReadonlyArray<string>
    readonly of: (uri: string) => ReadonlyArray<TypedSecret>
    readonly set: (uri: string, secrets: ReadonlyArray<TypedSecret>) => void
    readonly clear: () => void
    /** The possible secret that was last found at this place. */
    readonly at: (uri: unknown, line: unknown, column: unknown) => TypedSecret | undefined
  }
>()("threat-exposure/leaks/TypedSecrets") {
  static readonly layer = Layer.sync(TypedSecrets, () => {
    const found = new Map<string, ReadonlyArray<TypedSecret>>()
    const of = (uri: string) => found.get(uri) ?? []
    return TypedSecrets.of({
      files: () => [...found.keys()],
      of,
      set: (uri, secrets) => {
        if (secrets.length === 0) found.delete(uri)
        else found.set(uri, secrets)
      },
      clear: () => found.clear(),
      at: (uri, line, column) =>
        Predicate.isString(uri)
          ? of(uri).find(({ place }) => place.line === line && place.column === column)
          : undefined
    })
  })
}
