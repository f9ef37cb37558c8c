import type { Effect } from "effect"
import type { Acting } from "../../contract/acting.ts"
import type { Html } from "../docs/html.ts"
import type { TEXTS } from "./texts.ts"
import type { Form, SignedInVisit } from "./visit.ts"

/** Taken: the browser is sent back to the page, which says so; nothing of it is in the address but which words. */
export interface Done {
  readonly _tag: "Done"
  readonly done: keyof (typeof TEXTS)["access"]["done"]
}

/** Not taken: the page once more, with why, and this status. */
export interface Refused {
  readonly _tag: "Refused"
  readonly status: 400 | 401 | 403 | 404 | 409 | 420 | 422 | 429 | 500 | 501 | 502 | 503 | 504
  readonly words: string
  readonly retryAfter?: number
}

/** Taken, and there is something to see this once (a secret), which can be in no address. */
export interface Shown {
  readonly _tag: "Shown"
  readonly html: Html
}

export type Outcome = Done | Refused | Shown

/** What a form does. */
export type Act = (visit: SignedInVisit, form: Form) => Effect.Effect<Outcome, never, Acting>

/** A part of a page, with its own forms. */
export interface Section {
  /** `refused`: the form of the page that was just not taken, so that what was filled in is not lost. */
  readonly show: (visit: SignedInVisit, refused?: Form) => Effect.Effect<Html>
  readonly acts: ReadonlyMap<string, Act>
}
