import { Effect } from "effect"
import { type ConnectedApplication, Grants } from "../../../domain/access/oauth/Grants.ts"
import { type Html, html } from "../../docs/html.ts"
import { docsPagePath } from "../../http/paths.ts"
import type { AccessSection, ActionOutcome } from "../action-outcome.ts"
import { TEXTS } from "../console-texts.ts"
import type { SignedInVisit, SubmittedForm } from "../visit.ts"
import {
  accessSection,
  accessTable,
  explanation,
  instantHtml,
  lastUsedHtml,
  readFormId,
  revocationForm
} from "./access-parts.ts"

const APPLICATION_TEXTS = TEXTS.access.applications

/** Applications that were given access: to see, and to disconnect. */
export const makeApplicationsSection = Effect.fnUntraced(function* () {
  const grants = yield* Grants

  const show: AccessSection["show"] = (visit) =>
    Effect.map(grants.list(visit.session.person.caller), (connections) =>
      accessSection(
        "applications",
        APPLICATION_TEXTS.title,
        html`${explanation(APPLICATION_TEXTS, docsPagePath("console"))}${connectionList(connections, visit)}`
      )
    )

  const disconnect = Effect.fnUntraced(function* (visit: SignedInVisit, form: SubmittedForm) {
    const id = readFormId(form)
    const isDisconnected = id !== undefined && (yield* grants.disconnect(visit.session.person.caller, id))
    const outcome: ActionOutcome = isDisconnected
      ? { _tag: "Done", messageKey: "application_disconnected" }
      : { _tag: "Refused", status: 404, message: APPLICATION_TEXTS.noSuch }
    return outcome
  })

  const section: AccessSection = { show, actions: new Map([["disconnect_application", disconnect]]) }
  return section
})

const COLUMN_LABELS = [
  APPLICATION_TEXTS.name,
  APPLICATION_TEXTS.scope,
  APPLICATION_TEXTS.account,
  APPLICATION_TEXTS.connectedAt,
  APPLICATION_TEXTS.lastUsed,
  APPLICATION_TEXTS.withdraw
]

const connectionList = (connections: ReadonlyArray<ConnectedApplication>, visit: SignedInVisit): Html =>
  connections.length === 0
    ? html`<p>${APPLICATION_TEXTS.none}</p>
`
    : accessTable(
        APPLICATION_TEXTS.caption,
        COLUMN_LABELS,
        connections.map((connection) => connectionCells(connection, visit))
      )

const connectionCells = (connection: ConnectedApplication, visit: SignedInVisit): ReadonlyArray<Html> => [
  html`<span class="name">${connection.name}</span>`,
  html`<span class="whole">${connection.scope}</span>`,
  html`<span class="name">${connection.accountName}</span>`,
  instantHtml(connection.connectedAt, visit),
  lastUsedHtml(connection.lastUsedAt, visit),
  revocationForm(visit, {
    action: "disconnect_application",
    field: "id",
    value: String(connection.id),
    label: APPLICATION_TEXTS.withdraw,
    subject: connection.name,
    consequence: APPLICATION_TEXTS.revocationConsequence(connection.name)
  })
]
