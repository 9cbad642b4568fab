/** The whole extension as one layer over an editor and a connection. */
import { Layer } from "effect"
import { Commands } from "./editor/Commands.ts"
import { Connections } from "./connection/Connections.ts"
import * as Status from "./connection/Status.ts"
import * as SignIn from "./connection/SignIn.ts"
import { Detection } from "./detection/Detection.ts"
import { EventDetails } from "./events/page/EventDetails.ts"
import { EventListings } from "./events/list/EventListings.ts"
import { EventPanels } from "./events/page/EventPanels.ts"
import * as EventPages from "./events/page/EventPageCommands.ts"
import * as EventsView from "./events/list/EventsView.ts"
import * as SavedSearches from "./events/search/SavedSearchCommands.ts"
import * as CredentialCommands from "./credentials/CredentialCommands.ts"
import * as CredentialPages from "./credentials/CredentialPages.ts"
import { CredentialPanels } from "./credentials/CredentialPanels.ts"
import { CredentialSearches } from "./credentials/CredentialSearches.ts"
import * as ExportCommands from "./exports/ExportCommands.ts"
import * as Requests from "./requests/RequestCommands.ts"
import * as LanguageModelTools from "./tools/LanguageModelTools.ts"
import { EventCache } from "./events/EventCache.ts"
import { Triage } from "./events/triage/Triage.ts"
import * as IdentifierCommands from "./identifiers/IdentifierCommands.ts"
import * as IdentifiersView from "./identifiers/IdentifiersView.ts"
import { Register } from "./register/Register.ts"
import * as PoliciesView from "./policies/PoliciesView.ts"
import { PolicyList } from "./policies/PolicyList.ts"
import * as RecommendationsView from "./recommendations/RecommendationsView.ts"
import * as RecordPages from "./records/RecordPages.ts"
import * as LeakCheckView from "./leaks/LeakCheckView.ts"
import * as LeakCommands from "./leaks/LeakCommands.ts"
import * as HiddenValues from "./leaks/HiddenValues.ts"
import * as LeakDiagnostics from "./leaks/LeakDiagnostics.ts"
import * as MoveToEnv from "./leaks/closing/MoveToEnv.ts"
import * as AsYouTypeDetection from "./leaks/AsYouTypeDetection.ts"
import { LeakChecks } from "./leaks/check/LeakChecks.ts"
import { TypedSecrets } from "./leaks/TypedSecrets.ts"
import { OverviewEvents } from "./overview/OverviewEvents.ts"
import { TenantEvents } from "./overview/TenantEvents.ts"
import * as OverviewView from "./overview/OverviewView.ts"
import { Pages } from "./editor/page/Pages.ts"
import { Settings } from "./editor/Settings.ts"
import * as EditorCommands from "./editor/EditorCommands.ts"

const services = Layer.mergeAll(
  EventListings.layer,
  EventPanels.layer,
  LeakChecks.layer,
  TypedSecrets.layer,
  CredentialPanels.layer
).pipe(
  Layer.provideMerge(Triage.layer),
  Layer.provideMerge(CredentialSearches.layer),
  Layer.provideMerge(EventDetails.layer),
  Layer.provideMerge(Detection.layer),
  Layer.provideMerge(Pages.layer),
  Layer.provideMerge(Commands.layer),
  Layer.provideMerge(EventCache.layer),
  Layer.provideMerge(PolicyList.layer),
  Layer.provideMerge(Register.layer),
  Layer.provideMerge(Connections.layer),
  Layer.provideMerge(Settings.layer)
)

export const layer = Layer.mergeAll(
  Status.layer,
  EditorCommands.layer,
  SignIn.layer,
  OverviewView.layer.pipe(Layer.provide([OverviewEvents.layer, TenantEvents.layer])),
  EventsView.layer,
  SavedSearches.layer,
  EventPages.layer,
  IdentifiersView.layer,
  IdentifierCommands.layer,
  PoliciesView.layer,
  RecommendationsView.layer,
  RecordPages.layer,
  LeakCheckView.layer,
  LeakCommands.layer,
  HiddenValues.layer,
  LeakDiagnostics.layer,
  MoveToEnv.layer,
  AsYouTypeDetection.layer,
  CredentialCommands.layer,
  CredentialPages.layer,
  ExportCommands.layer,
  Requests.layer,
  LanguageModelTools.layer
).pipe(Layer.provide(services))
