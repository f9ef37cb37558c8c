import { Effect, type Schema } from "effect"
import type { CalendarShareLink } from "../../../../domain/calendars/calendar-share-links/contract.ts"
import { isReadableShareLinkUrl } from "../../../../domain/calendars/calendar-share-links/share-link-url.ts"
import { SHARE_LINKS_SHOWN } from "../../../../platform/limits.ts"
import type { Service } from "../../../../service/service.ts"
import { type Html, html, nothing } from "../../../docs/html.ts"
import type { Sudo } from "../../sudo.ts"
import type { SignedInVisit, SubmittedForm } from "../../visit.ts"
import { makeVoidMutation } from "../api-operations.ts"
import { actionForm, checkboxGroup, disclosure, makeMultiFieldFiller } from "../form-fields.ts"
import { parseNumber, readFilledFields, readSelectedIds } from "../form-values.ts"
import { type FailedSubmission, type HostAction, makeActionError, readSubmittedAction } from "../host-page.ts"
import { activityLogLink, pagination, section, table, timeHtml } from "../page-parts.ts"
import { propertyOptions, type SelectableProperties, truncationNote } from "./ical-sync-parts.ts"

export const makeShareLinkActions = (service: Service["Service"], sudo: Sudo) => {
  const mutate = makeVoidMutation(service)
  const createLink = (visit: SignedInVisit, form: SubmittedForm, fields: Schema.JsonObject) =>
    Effect.andThen(sudo.requirePassword(visit, form), mutate(visit, form, "create_calendar_share_link", fields))
  return {
    share_all: {
      doneMessage: "Link created. It is in the list.",
      run: (visit, form) => createLink(visit, form, { scope: "entire" })
    },
    share_some: {
      doneMessage: "Link created. It is in the list.",
      run: (visit, form) => {
        const ids = readSelectedIds(form, "property")
        return ids.length === 0
          ? Effect.fail(makeActionError(422, "property_ids: is required."))
          : createLink(visit, form, { scope: "partial", property_ids: ids })
      }
    },
    unshare: {
      doneMessage: "Link deleted. It no longer works.",
      run: (visit, form) =>
        mutate(visit, form, "delete_calendar_share_link", readFilledFields(form, { id: parseNumber }))
    }
  } satisfies Readonly<Record<string, HostAction>>
}

interface ShareLinksView {
  readonly calendar_share_links: ReadonlyArray<CalendarShareLink>
  readonly total: number
  readonly offset: number
}

export const shareLinksSection = (
  visit: SignedInVisit,
  { calendar_share_links: links, total, offset }: ShareLinksView,
  properties: SelectableProperties,
  passwordField: Html,
  failedSubmission: FailedSubmission | undefined
): Html =>
  section(
    "Share links",
    html`<p>Everyone who has a link sees on which days properties are free: no guests, no prices. Add .ics to the link to use it in a calendar app.</p>
${table(
  { empty: "No share links yet. Create one below." },
  [
    {
      label: "Link",
      cell: ({ url }) => (isReadableShareLinkUrl(url) ? html`<a class="name" href="${url}">${url}</a>` : url)
    },
    {
      label: "Shows",
      onPhone: "detail",
      cell: (each) => html`<span class="name">${sharedPropertiesText(each, properties)}</span>`
    },
    { label: "Created", onPhone: "labelled", cell: ({ created_at }) => timeHtml(created_at, visit) },
    {
      label: "Edit",
      onPhone: "actions",
      cell: ({ id, url }) =>
        html`${disclosure("Delete…", actionForm(visit, { action: "unshare", label: "Delete link", subject: url, id, kind: "danger" }))}${activityLogLink(`calendar_share_link:${id}`)}`
    }
  ],
  links
)}${pagination(visit, { offset, limit: SHARE_LINKS_SHOWN, total, name: "links" })}
<h3>New share link</h3>
${actionForm(visit, { action: "share_all", label: "Share all properties", kind: "plain", fields: passwordField })}${partialLinkForm(visit, properties, passwordField, failedSubmission)}`,
    "links"
  )

const NAMES_LISTED = 5

const sharedPropertiesText = ({ scope, property_ids }: CalendarShareLink, properties: SelectableProperties): string => {
  if (scope === "entire") return "All properties, including new ones"
  const listedProperties = properties.filter(({ id }) => property_ids.includes(id)).slice(0, NAMES_LISTED)
  const remaining = property_ids.length - listedProperties.length
  const names = listedProperties.map(({ name }) => name)
  return [
    ...names,
    ...(remaining === 0 ? [] : [listedProperties.length === 0 ? `${remaining} properties` : `${remaining} more`])
  ].join(", ")
}

const partialLinkForm = (
  visit: SignedInVisit,
  properties: SelectableProperties,
  passwordField: Html,
  failedSubmission: FailedSubmission | undefined
): Html =>
  properties.length === 0
    ? nothing
    : disclosure(
        "Share some properties",
        actionForm(visit, {
          action: "share_some",
          label: "Create link",
          kind: "plain",
          fields: html`${checkboxGroup({
            name: "property",
            legend: "Properties",
            options: propertyOptions(properties),
            selected: makeMultiFieldFiller(failedSubmission, "share_some")("property", [])
          })}${truncationNote(properties)}${passwordField}`
        }),
        failedSubmission !== undefined && readSubmittedAction(failedSubmission) === "share_some"
      )
