import { Effect } from "effect"
import { type Connection, Grants } from "../../../domain/access/oauth/Grants.ts"
import { type Html, html } from "../../docs/html.ts"
import { pageAt } from "../../http/docs-path.ts"
import type { Outcome, Section } from "../outcome.ts"
import { TEXTS } from "../texts.ts"
import type { Form, SignedInVisit } from "../visit.ts"
import { explained, idIn, lastUsed, sectionOf, tableOf, whenOf, withdrawing } from "./parts.ts"

const WORDS = TEXTS.access.applications

/** Applications that were given access: to see, and to disconnect. */
export const makeApplicationsSection = Effect.fnUntraced(function* () {
  const grants = yield* Grants

  const show: Section["show"] = (visit) =>
    Effect.map(grants.list(visit.session.person.caller), (connections) =>
      sectionOf("applications", WORDS.title, html`${explained(WORDS, pageAt("console"))}${listOf(connections, visit)}`)
    )

  const disconnect = Effect.fnUntraced(function* (visit: SignedInVisit, form: Form) {
    const id = idIn(form)
    const ended = id !== undefined && (yield* grants.disconnect(visit.session.person.caller, id))
    const outcome: Outcome = ended
      ? { _tag: "Done", done: "application_disconnected" }
      : { _tag: "Refused", status: 404, words: WORDS.noSuch }
    return outcome
  })

  const section: Section = { show, acts: new Map([["disconnect_application", disconnect]]) }
  return section
})

const LABELS = [WORDS.name, WORDS.scope, WORDS.account, WORDS.since, WORDS.lastUsed, WORDS.withdraw]

const listOf = (connections: ReadonlyArray<Connection>, visit: SignedInVisit): Html =>
  connections.length === 0
    ? html`<p>${WORDS.none}</p>
`
    : tableOf(
        WORDS.caption,
        LABELS,
        connections.map((connection) => cellsOf(connection, visit))
      )

const cellsOf = (connection: Connection, visit: SignedInVisit): ReadonlyArray<Html> => [
  html`<span class="name">${connection.name}</span>`,
  html`<span class="whole">${connection.scope}</span>`,
  html`<span class="name">${connection.accountName}</span>`,
  whenOf(connection.connectedAt, visit),
  lastUsed(connection.lastUsedAt, visit),
  withdrawing(visit, {
    act: "disconnect_application",
    field: "id",
    value: String(connection.id),
    button: WORDS.withdraw,
    of: connection.name,
    ends: WORDS.ends(connection.name)
  })
]
