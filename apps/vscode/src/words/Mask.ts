/** Masks names while a screen is shared. */
import { maskedAccount } from "@threat-exposure/core/domain/AccountName"
import { t } from "./Localisation.ts"

/** Every word keeps its first letter, and everything between words stays, so that the shape is recognisable. */
export const maskText = (text: string): string =>
  text.replaceAll(/[\p{L}\p{N}]+/gu, (word) => {
    const [first = ""] = word
    return word.length === first.length ? "•" : `${first}${"•".repeat(Math.min(word.length - first.length, 6))}`
  })

/** A secret that its owner recognises and nobody else can use. */
export const maskedValue = (value: string): string => `${value.length < 12 ? "" : value.slice(0, 2)}••••••`

/** An account, as it is named to a person. */
export const accountName = (name: string, isMasked: boolean): string =>
  name.trim() === "" ? t("(no account name)") : isMasked ? maskedAccount(name) : name
