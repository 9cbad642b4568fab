import { isIP } from "node:net"
import { domainOf } from "@threat-exposure/leak-check/target/Target"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Argument from "effect/cli/Argument"
import * as Flag from "effect/cli/Flag"
import { nonEmptyText } from "@threat-exposure/command-line/NonEmptyText"
import { UsageInvalid } from "./UsageInvalid.ts"

/** A flag with values separated by commas; it may be repeated. Empty parts are left out. */
export const listFlag = (name: string, metavar: string, description: string) =>
  nonEmptyText(name, metavar).pipe(
    Flag.atLeast(0),
    Flag.map((values) =>
      values.flatMap((value) => value.split(",").map((part) => part.trim())).filter((part) => part !== "")
    ),
    Flag.withDescription(`${description}; separated by commas, or repeated`)
  )

export const optionalText = (name: string, metavar: string, description: string) =>
  nonEmptyText(name, metavar).pipe(Flag.optional, Flag.withDescription(description))

/** An argument that is not empty: a script gives an empty one if its variable is unset. */
export const textArgument = (metavar: string, description: string) =>
  Argument.String(metavar).pipe(
    Argument.filter(
      (text) => text.trim() !== "",
      () => "a value that is not empty"
    ),
    Argument.withDescription(description)
  )

/** Kinds of values that match nothing in another form. */
export const valueForms = {
  email: { form: "an address, such as jane@example.com", isValid: (text: string) => text.includes("@") },
  ip: {
    form: "an address or a network, such as 192.0.2.1 or 192.0.2.0/24",
    isValid: (text: string) => {
      const [address = "", bits = "0", ...others] = text.split("/")
      const version = isIP(address)
      return (
        version !== 0 && others.length === 0 && /^\d{1,3}$/u.test(bits) && Number(bits) <= (version === 4 ? 32 : 128)
      )
    }
  },
  bin: {
    form: "the first digits of a card number, such as 400000",
    isValid: (text: string) => /^\d+$/u.test(text)
  }
}

/** A flag that takes a value of the kind with its name. */
export const valueFlag = (name: keyof typeof valueForms, metavar: string, description: string) =>
  nonEmptyText(name, metavar).pipe(
    Flag.filter(valueForms[name].isValid, () => valueForms[name].form),
    Flag.optional,
    Flag.withDescription(description)
  )

/** A flag that takes an integer of at least 1. */
export const countFlag = (name: string, preset: number, description: string) =>
  Flag.Int(name).pipe(
    Flag.withMetavar("N"),
    Flag.withDefault(preset),
    Flag.filter(
      (count) => count > 0,
      () => "a number from 1"
    ),
    Flag.withDescription(`${description} (default: ${preset})`)
  )

/** Normalises the host name of a flag as searches need it. */
export const domainGiven = (flag: string, given: Option.Option<string>) =>
  Effect.map(domainsOf(flag, Option.toArray(given)), ([domain]) => Option.fromNullishOr(domain))

/** Normalises the host names of a flag as searches need them. */
export const domainsOf = (
  flag: string,
  given: ReadonlyArray<string>
): Effect.Effect<ReadonlyArray<string>, UsageInvalid> =>
  Effect.forEach(given, (name) => {
    const domain = domainOf(name)
    return domain === undefined
      ? Effect.fail(new UsageInvalid({ message: `--${flag}: a value is not a host name, such as example.com` }))
      : Effect.succeed(domain)
  })
