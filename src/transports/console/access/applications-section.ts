import { Effect } from "effect"
import { Service } from "../../../service/service.ts"
import { type Html, html } from "../../docs/html.ts"
import { docsPagePath } from "../../http/paths.ts"
import type { AccessSection } from "../action-outcome.ts"
import { TEXTS } from "../console-texts.ts"
import { type ConnectedApplication, ConnectedApplications } from "../queries/ConnectedApplications.ts"
import type { SignedInVisit } from "../visit.ts"
import {
  accessSection,
  accessTable,
  explanation,
  instantHtml,
  lastUsedHtml,
  makeRevocation,
  revocationForm
} from "./access-parts.ts"

const APPLICATION_TEXTS = TEXTS.access.applications
const DISCONNECT_ACTION = "disconnect_application"

export const makeApplicationsSection = Effect.fnUntraced(function* () {
  const [applications, service] = [yield* ConnectedApplications, yield* Service]

  const show: AccessSection["show"] = (visit) =>
    Effect.map(applications.list, (connections) =>
      accessSection(
        "applications",
        APPLICATION_TEXTS.title,
        html`${explanation(APPLICATION_TEXTS, docsPagePath("console"))}${connectionList(connections, visit)}`
      )
    )

  const disconnect = makeRevocation(
    service,
    "disconnect_application",
    "application_disconnected",
    APPLICATION_TEXTS.noSuch
  )
  const section: AccessSection = { show, actions: new Map([[DISCONNECT_ACTION, disconnect]]) }
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
    action: DISCONNECT_ACTION,
    field: "id",
    value: String(connection.id),
    label: APPLICATION_TEXTS.withdraw,
    subject: connection.name,
    consequence: APPLICATION_TEXTS.revocationConsequence(connection.name)
  })
]
