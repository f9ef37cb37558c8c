import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import type { Acting } from "../../../contract/acting.ts"
import { CARRIED_VALUE } from "../../../platform/limits.ts"
import { type Html, html, nothing } from "../../docs/html.ts"
import { framed, seeOther } from "../frame.ts"
import type { Refused } from "../outcome.ts"
import { ACT_FIELD, type Answered, type Form, type SignedInPage, type SignedInVisit } from "../visit.ts"

// What every page of the host's console does alike: it is shown, its forms are taken or come back with why they were not, and it
// says what the last one came to.

/** What a page shows. */
export interface HostView {
  readonly title: string
  readonly body: Html
  /** Where there is no such record. */
  readonly status?: 404
  /** A page that is one large table uses the whole window. */
  readonly wide?: true
  /** It is shown with our script, which asks for new messages. */
  readonly script?: true
}

/** A form of the page that was just not taken: it comes back with what was filled in. */
export interface NotTaken {
  readonly form: Form
  readonly refused: Refused
}

/** Where to go on after a form was taken, if not to the page it is on; `done` names what that page says then. */
export interface GoOn {
  readonly _tag: "GoOn"
  readonly to: string
  readonly done?: string
}

/** Something to be seen this once, on the page itself. */
export interface Told {
  readonly _tag: "Told"
  readonly html: Html
}

export interface HostAct {
  /** What the page says when it was taken. */
  readonly done: string
  /** Answers nothing where the page itself is to be shown again. */
  readonly run: (visit: SignedInVisit, form: Form) => Effect.Effect<GoOn | Told | undefined, Refused, Acting>
}

export interface HostPage {
  readonly path: string
  readonly show: (visit: SignedInVisit, notTaken?: NotTaken) => Effect.Effect<HostView, Refused, Acting>
  /** By what their button `act` says. */
  readonly acts?: Readonly<Record<string, HostAct>>
  /** What else the page says after a form of another page, by the `done` of its address. */
  readonly said?: Readonly<Record<string, string>>
}

const DONE_FIELD = "done"

/** The page's own address, as it was asked for but for what no page of ours would ask ({@link CARRIED_VALUE}), with other values of its query; undefined takes one away. */
export const hereWith = (
  { path, query }: SignedInVisit,
  changed: Readonly<Record<string, string | number | undefined>> = {}
): string => {
  const wanted = new URLSearchParams(Array.from(query).filter(([, value]) => value.length <= CARRIED_VALUE))
  wanted.delete(DONE_FIELD)
  for (const [name, value] of Object.entries(changed)) {
    if (value === undefined) wanted.delete(name)
    else wanted.set(name, String(value))
  }
  return wanted.size === 0 ? path : `${path}?${wanted.toString()}`
}

const withDone = (address: string, done: string): string =>
  `${address}${address.includes("?") ? "&" : "?"}${new URLSearchParams({ [DONE_FIELD]: done }).toString()}`

/** A refusal of the page's own, in the words of whoever has to mend it. */
export const refusal = (status: Refused["status"], words: string): Refused => ({ _tag: "Refused", status, words })

/** The page of a record that there is not, and the way on from there. */
export const notThere = (title: string, words: string, way: Html = nothing): HostView => ({
  title,
  body: html`<p>${words}</p>${way}`,
  status: 404
})

const alertOf = (words: string): Html => html`<p class="message error" role="alert">${words}</p>
`

const statusOf = (words: string): Html => html`<p class="message done" role="status">${words}</p>
`

const withRetry = (response: HttpServerResponse.HttpServerResponse, { retryAfter }: Refused) =>
  retryAfter === undefined ? response : HttpServerResponse.setHeader(response, "retry-after", String(retryAfter))

const OF_ANOTHER_VISIT = refusal(
  403,
  "Nothing was done: you signed in anew since this form was shown. What you filled in is still here: look at it, and send it again."
)

/** A page of who is signed in as the console serves it. An account that the API refuses is shown why, and nothing else. */
export const hostPage = ({ path, show, acts = {}, said = {} }: HostPage): SignedInPage => {
  const words = new Map<string, string>([
    ...Object.entries(said),
    ...Object.entries(acts).map(([name, { done }]) => [name, done] as const)
  ])

  const viewed = (visit: SignedInVisit, above: Html, notTaken?: NotTaken): Answered =>
    Effect.match(show(visit, notTaken), {
      onSuccess: (view) =>
        framed(visit, { ...view, body: html`${above}${view.body}` }, notTaken?.refused.status ?? view.status ?? 200),
      onFailure: (refused) =>
        withRetry(
          framed(
            visit,
            { title: "Not to be had just now", body: html`${above}${alertOf(refused.words)}` },
            refused.status
          ),
          refused
        )
    })

  const taken =
    (name: string, { run }: HostAct) =>
    (visit: SignedInVisit, form: Form): Answered =>
      visit.standing === undefined
        ? Effect.matchEffect(run(visit, form), {
            onSuccess: (came) => {
              if (came === undefined) return Effect.succeed(seeOther(withDone(hereWith(visit), name)))
              return came._tag === "Told"
                ? viewed(visit, came.html)
                : Effect.succeed(seeOther(withDone(came.to, came.done ?? name)))
            },
            onFailure: (refused) =>
              Effect.map(viewed(visit, alertOf(refused.words), { form, refused }), (page) => withRetry(page, refused))
          })
        : Effect.succeed(kept(visit))

  return {
    path,
    show: (visit) => {
      if (visit.standing !== undefined) return Effect.succeed(kept(visit))
      const done = words.get(visit.query.get(DONE_FIELD) ?? "")
      return viewed(visit, done === undefined ? nothing : statusOf(done))
    },
    acts: new Map(Object.entries(acts).map(([name, act]) => [name, taken(name, act)])),
    bringBack: (visit, form) =>
      visit.standing === undefined
        ? viewed(visit, alertOf(OF_ANOTHER_VISIT.words), { form, refused: OF_ANOTHER_VISIT })
        : Effect.succeed(kept(visit))
  }
}

/** The frame says why (standingOf): what the API would not tell or do, no page does. */
export const kept = (visit: SignedInVisit) => framed(visit, { title: "Your account does not work", body: nothing }, 403)

/** Which of the page's forms it was. */
export const actOf = ({ form }: NotTaken): string => form.get(ACT_FIELD) ?? ""
