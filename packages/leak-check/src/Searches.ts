import type { ApiError } from "@threat-exposure/core/client/ApiError"
import type { Credential } from "@threat-exposure/core/domain/Credential"
import type { Page } from "@threat-exposure/core/domain/Page"
import type { Severity } from "@threat-exposure/core/domain/Severity"
import { Context, type DateTime, type Effect, type Redacted } from "effect"

/** A value wherever it was seen, or a domain within what counts. */
export type Question = { readonly secret: Redacted.Redacted } | { readonly fqdn: string; readonly since: DateTime.Utc }

/** The two searches a target costs: the first page of each, and not one request more. */
export class Searches extends Context.Service<
  Searches,
  {
    credentials(question: Question): Effect.Effect<Page<Credential>, ApiError>
    events(question: Question, minSeverity: Severity): Effect.Effect<Page<unknown>, ApiError>
    /** Units that remain as last heard; undefined until the service says so. */
    readonly remaining: Effect.Effect<number | undefined>
  }
>()("@threat-exposure/leak-check/Searches") {}
