import { Effect, type Schema } from "effect"
import { isAddress } from "../../../../domain/calendars/calendar-share-links/address.ts"
import type { CalendarShareLink } from "../../../../domain/calendars/calendar-share-links/contract.ts"
import { SHARE_LINKS_SHOWN } from "../../../../platform/limits.ts"
import type { Service } from "../../../../service/service.ts"
import { type Html, html, nothing } from "../../../docs/html.ts"
import type { Sudo } from "../../sudo.ts"
import type { Form, SignedInVisit } from "../../visit.ts"
import { doing } from "../asking.ts"
import { asNumber, behind, choices, fillingAll, formOf, givenIn, idsIn } from "../fields.ts"
import { actOf, type HostAct, type NotTaken } from "../page.ts"
import { historyLink, pages, section, table, timeOf } from "../parts.ts"
import { cutNote, type Properties, propertyOptions } from "./said.ts"

// Links that show free and taken days to whoever holds them.

export const makeSharedActs = (service: Service["Service"], sudo: Sudo) => {
  const act = doing(service)
  const share = (visit: SignedInVisit, form: Form, fields: Schema.JsonObject) =>
    Effect.andThen(sudo.demand(visit, form), act(visit, form, "create_calendar_share_link", fields))
  return {
    share_all: {
      done: "The link to the calendar of all properties is in the list.",
      run: (visit, form) => share(visit, form, { scope: "entire" })
    },
    share_some: {
      done: "The link is made.",
      run: (visit, form) => share(visit, form, { scope: "partial", property_ids: idsIn(form, "property") })
    },
    unshare: {
      done: "The link is deleted: whoever opens it is told that it is not good any more.",
      run: (visit, form) => act(visit, form, "delete_calendar_share_link", givenIn(form, { id: asNumber }))
    }
  } satisfies Readonly<Record<string, HostAct>>
}

interface Links {
  readonly calendar_share_links: ReadonlyArray<CalendarShareLink>
  readonly total: number
  readonly offset: number
}

export const sharedOf = (
  visit: SignedInVisit,
  { calendar_share_links: links, total, offset }: Links,
  properties: Properties,
  password: Html,
  notTaken: NotTaken | undefined
): Html =>
  section(
    "Links to share",
    html`<p>Whoever has such a link sees on which days properties are free: no guests, no prices. With .ics after it, it is a calendar for a program.</p>
${table(
  { empty: "No link is given out." },
  [
    { label: "Link", cell: ({ url }) => (isAddress(url) ? html`<a class="name" href="${url}">${url}</a>` : url) },
    { label: "Shows", cell: (each) => html`<span class="name">${showsText(each, properties)}</span>` },
    { label: "Made", cell: ({ created_at }) => timeOf(created_at, visit) },
    {
      label: "Change",
      cell: ({ id, url }) =>
        html`${behind("Delete", formOf(visit, { act: "unshare", button: "Delete the link", of: url, id, kind: "danger" }))}${historyLink(`calendar_share_link:${id}`)}`
    }
  ],
  links
)}${pages(visit, { offset, limit: SHARE_LINKS_SHOWN, total, name: "links" })}
<h3>Make a link</h3>
${formOf(visit, { act: "share_all", button: "To all properties, later ones too", kind: "plain", fields: password })}${someForm(visit, properties, password, notTaken)}`,
    "links"
  )

/** Names of so many properties of a link are said; of more how many there are. */
const NAMED = 5

const showsText = ({ scope, property_ids }: CalendarShareLink, properties: Properties): string => {
  if (scope === "entire") return "all properties, later ones too"
  const named = properties.filter(({ id }) => property_ids.includes(id)).slice(0, NAMED)
  const others = property_ids.length - named.length
  const names = named.map(({ name }) => name)
  return [...names, ...(others === 0 ? [] : [named.length === 0 ? `${others} properties` : `${others} more`])].join(
    ", "
  )
}

const someForm = (
  visit: SignedInVisit,
  properties: Properties,
  password: Html,
  notTaken: NotTaken | undefined
): Html =>
  properties.length === 0
    ? nothing
    : behind(
        "To some properties",
        formOf(visit, {
          act: "share_some",
          button: "Make the link",
          kind: "plain",
          fields: html`${choices({
            name: "property",
            legend: "Properties that it shows",
            options: propertyOptions(properties),
            chosen: fillingAll(notTaken, "share_some")("property", [])
          })}${cutNote(properties)}${password}`
        }),
        notTaken !== undefined && actOf(notTaken) === "share_some"
      )
