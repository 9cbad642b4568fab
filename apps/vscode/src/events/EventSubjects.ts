/** Subjects of the rows that commands on events act on. */
import { type Copied, Subject } from "../editor/tree/Subject.ts"
import { type AnyEvent, webAddress, withoutMatchedSecrets } from "./AnyEvent.ts"
import type { SavedSearch } from "./search/SavedSearch.ts"

export class EventSubject extends Subject {
  readonly event: AnyEvent

  constructor(event: AnyEvent) {
    super()
    this.event = event
  }

  override get copied(): Copied {
    const { svc_url, uid } = this.event.metadata
    return { id: uid, link: webAddress(svc_url), json: withoutMatchedSecrets(this.event) }
  }
}

/** A row with several events of one leak. */
export class LeakOfDaySubject extends Subject {
  readonly events: ReadonlyArray<AnyEvent>

  constructor(events: ReadonlyArray<AnyEvent>) {
    super()
    this.events = events
  }
}

export class SavedSearchSubject extends Subject {
  readonly search: SavedSearch

  constructor(search: SavedSearch) {
    super()
    this.search = search
  }
}

export class AllIdentifiersSubject extends Subject {}

/** The folder with the events that a summary linked to. */
export class SelectionSubject extends Subject {}
