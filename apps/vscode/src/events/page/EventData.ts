/** Extracts data of an event that leads to other pages. */
import type { TypedEvent } from "@threat-exposure/core/domain/TypedEvent"
import { Predicate } from "effect"
import { webAddress } from "../AnyEvent.ts"

/** The e-mail address of the account that the event concerns; undefined if there is none. */
export const accountOf = ({ data }: TypedEvent): string | undefined => {
  if (!Predicate.isObject(data)) return undefined
  const found = ["identity_name", "email", "username", "login"]
    .map((key): unknown => Reflect.get(data, key))
    .find((value) => Predicate.isString(value) && /^[^\s@]+@[^\s@]+\.[^\s@]+$/u.test(value))
  return Predicate.isString(found) ? found : undefined
}

/** The page on which the text was found, if the event names one. */
export const pageOf = ({ data }: TypedEvent): string | undefined => {
  if (!Predicate.isObject(data)) return undefined
  return ["commit_url", "html_url", "file_url", "url", "link"]
    .flatMap((key) => {
      const value: unknown = Reflect.get(data, key)
      return Predicate.isString(value) ? (webAddress(value) ?? []) : []
    })
    .at(0)
}
