import { Effect } from "effect"
import { Service } from "../../../service/service.ts"
import { type Html, html } from "../../docs/html.ts"
import { docsPagePath } from "../../http/paths.ts"
import type { AccessSection } from "../action-outcome.ts"
import { TEXTS } from "../console-texts.ts"
import { section, table } from "../host/page-parts.ts"
import { type ConnectedApplication, ConnectedApplications } from "../queries/ConnectedApplications.ts"
import type { SignedInVisit } from "../visit.ts"
import { dayOfInstant, explanation, lastUsedHtml, makeRevocation, revocationForm, scopeLabel } from "./access-parts.ts"

const APPLICATION_TEXTS = TEXTS.access.applications
const DISCONNECT_ACTION = "disconnect_application"

export const makeApplicationsSection = Effect.fnUntraced(function* () {
  const [applications, service] = [yield* ConnectedApplications, yield* Service]

  const show: AccessSection["show"] = (visit) =>
    Effect.map(applications.list, (connections) =>
      section(
        APPLICATION_TEXTS.title,
        html`${explanation(APPLICATION_TEXTS, docsPagePath("console"))}${connectionsTable(visit, connections)}`,
        "applications"
      )
    )

  const disconnect = makeRevocation(
    service,
    "disconnect_application",
    "application_disconnected",
    APPLICATION_TEXTS.noSuch
  )
  const applicationsSection: AccessSection = { show, actions: new Map([[DISCONNECT_ACTION, disconnect]]) }
  return applicationsSection
})

const connectionsTable = (visit: SignedInVisit, connections: ReadonlyArray<ConnectedApplication>): Html =>
  table(
    { caption: APPLICATION_TEXTS.caption, empty: APPLICATION_TEXTS.none },
    [
      { label: APPLICATION_TEXTS.name, cell: ({ name }) => html`<span class="name">${name}</span>` },
      {
        label: APPLICATION_TEXTS.scope,
        cell: ({ scope }) => html`<span class="whole">${scopeLabel(scope)}</span>`,
        onPhone: "detail"
      },
      {
        label: APPLICATION_TEXTS.account,
        cell: ({ accountName }) => html`${accountName}`,
        onPhone: "detail"
      },
      {
        label: APPLICATION_TEXTS.connectedAt,
        cell: ({ connectedAt }) => dayOfInstant(connectedAt, visit),
        onPhone: "none"
      },
      { label: APPLICATION_TEXTS.lastUsed, cell: ({ lastUsedAt }) => lastUsedHtml(lastUsedAt, visit) },
      {
        label: APPLICATION_TEXTS.withdraw,
        cell: ({ id, name }) =>
          revocationForm(visit, {
            action: DISCONNECT_ACTION,
            field: "id",
            value: String(id),
            label: APPLICATION_TEXTS.withdraw,
            subject: name,
            consequence: APPLICATION_TEXTS.revocationConsequence(name)
          }),
        onPhone: "actions"
      }
    ],
    connections
  )
