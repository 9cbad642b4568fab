/** The Promise face declares by hand what the domain derives from its schemas: the compiler holds the two together. */
import { assert, describe, it } from "vitest"
import type * as Redacted from "effect/Redacted"
import type { ListRequestInput, RequestInput } from "../../src/transport/RequestEncoder.ts"
import type * as DomainCredential from "../../src/domain/Credential.ts"
import type * as DomainEvent from "../../src/domain/Event.ts"
import type * as DomainIdentifier from "../../src/domain/Identifier.ts"
import type * as DomainIdentifierGroup from "../../src/domain/IdentifierGroup.ts"
import type * as DomainIntel from "../../src/domain/Intel.ts"
import type * as DomainPolicy from "../../src/domain/MatchingPolicy.ts"
import type * as DomainRecommendation from "../../src/domain/Recommendation.ts"
import type * as DomainReport from "../../src/domain/Report.ts"
import type * as DomainTenant from "../../src/domain/Tenant.ts"
import type * as DomainTypedEvent from "../../src/domain/TypedEvent.ts"
import type * as Face from "../../src/promise.ts"

/** A domain's answer as the Promise face hands it out. */
type Handed<A> = A extends Redacted.Redacted
  ? Face.Secret
  : A extends string | number | boolean | null | undefined
    ? A
    : A extends ReadonlyArray<infer Item>
      ? ReadonlyArray<Handed<Item>>
      : A extends object
        ? { readonly [Key in keyof A]: Handed<A[Key]> }
        : A

/** A request of the Effect face, without the way to give a secret that the other lacks. */
type Asked<A> = A extends string | number | boolean | null | undefined | ((...args: never) => unknown)
  ? A
  : A extends Redacted.Redacted
    ? never
    : A extends ReadonlyArray<infer Item>
      ? ReadonlyArray<Asked<Item>>
      : A extends object
        ? { readonly [Key in keyof A]: Asked<A[Key]> }
        : A

/** True where each can stand for the other. */
type Same<A, B> = [A] extends [B]
  ? [B] extends [A]
    ? true
    : "the first lacks something"
  : "the second lacks something"

const same = <A, B>(is: Same<A, B>) => assert.isTrue(is)

describe("the Promise face", () => {
  it("declares the answers of the domain", () => {
    same<Face.Credential, Handed<DomainCredential.Credential>>(true)
    same<Face.Event, Handed<DomainEvent.Event>>(true)
    same<Face.IdentifierEvent, Handed<DomainEvent.IdentifierEvent>>(true)
    same<Face.KnownEvent, Handed<DomainTypedEvent.KnownEvent>>(true)
    same<Face.Identifier, Handed<DomainIdentifier.Identifier>>(true)
    same<Face.IdentifierGroup, Handed<DomainIdentifierGroup.IdentifierGroup>>(true)
    same<Face.Recommendation, Handed<DomainRecommendation.Recommendation>>(true)
    same<Face.PolicyAssignment, Handed<DomainPolicy.PolicyAssignment>>(true)
    same<Face.AssignedPolicy, Handed<DomainPolicy.AssignedPolicy>>(true)
    same<Face.IntelRequest, Handed<DomainIntel.IntelRequest>>(true)
  })

  it("declares the requests of the domain", () => {
    same<Face.CredentialSearch, Asked<RequestInput<DomainCredential.CredentialSearch>>>(true)
    same<Face.EventSearch, Asked<RequestInput<DomainEvent.EventSearch>>>(true)
    same<Face.IdentifierEventSearch, Asked<RequestInput<DomainEvent.IdentifierEventSearch>>>(true)
    same<Face.NewIdentifier, Asked<RequestInput<DomainIdentifier.NewIdentifier>>>(true)
    same<Face.NewIdentifierGroup, Asked<RequestInput<DomainIdentifierGroup.NewIdentifierGroup>>>(true)
    same<Face.RecommendationList, Asked<ListRequestInput<DomainRecommendation.RecommendationList>>>(true)
    same<Face.PolicyAssignmentList, Asked<ListRequestInput<DomainPolicy.PolicyAssignmentList>>>(true)
    same<Face.AssignPolicy, Asked<RequestInput<DomainPolicy.AssignPolicy>>>(true)
    same<Face.NewReport, Asked<RequestInput<DomainReport.NewReport>>>(true)
    same<Face.AddUsers, Asked<RequestInput<DomainTenant.AddUsers>>>(true)
    same<Face.IntelQuestion, Asked<RequestInput<DomainIntel.IntelQuestion>>>(true)
  })
})
