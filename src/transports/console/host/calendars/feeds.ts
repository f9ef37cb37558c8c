import { Effect } from "effect"
import { type FeedOfCalendar, PropertyFeeds } from "../../../../domain/calendars/property-feeds/PropertyFeeds.ts"
import { type Html, html } from "../../../docs/html.ts"
import { idOf } from "../../id.ts"
import type { Sudo } from "../../sudo.ts"
import type { Form, SignedInVisit } from "../../visit.ts"
import { markOf, refusedAs, unlessOvertaken } from "../asking.ts"
import { behind, filling, formOf, select } from "../fields.ts"
import { type HostAct, type NotTaken, refusal, type Told } from "../page.ts"
import { section } from "../parts.ts"
import { type Properties, propertyOptions, saidOnce, secretOf } from "./said.ts"

// The secret addresses at which marketplaces read what is taken in a property: its own, and one for each calendar that it follows.

const NO_PROPERTY = refusal(422, "Choose a property.")

const ADDRESS = /^([1-9]\d{0,14})(?::([1-9]\d{0,14}))?$/

/** Which address a form means: `12` is the property's own, `12:7` that for the calendar 7. */
const addressIn = (form: Form) => {
  const [, property, calendar] = ADDRESS.exec(form.get("id") ?? "") ?? []
  return property === undefined
    ? undefined
    : { property: Number(property), calendar: calendar === undefined ? undefined : Number(calendar) }
}

export const makeFeedActs = Effect.fnUntraced(function* (sudo: Sudo) {
  const feeds = yield* PropertyFeeds
  return {
    feed: {
      done: "Here they are.",
      run: (visit, form) => {
        const property = idOf(form.get("property"))
        if (property === undefined) return Effect.fail(NO_PROPERTY)
        const { operatorId } = visit.session.person.caller
        const shown = Effect.gen(function* () {
          const { url } = yield* feeds.addressFor(operatorId, property, undefined)
          return addresses(visit, property, url, yield* feeds.ofCalendars(operatorId, property))
        })
        return Effect.andThen(sudo.demand(visit, form), Effect.mapError(shown, refusedAs))
      }
    },
    renew: {
      done: "The address is replaced: the one before opens nothing any more. Show the new one, and give it to whoever is to read it.",
      run: (visit, form) => {
        const address = addressIn(form)
        if (address === undefined) return Effect.fail(NO_PROPERTY)
        const of = [visit.session.person.caller.operatorId, address.property, address.calendar] as const
        return Effect.gen(function* () {
          const { url } = yield* Effect.mapError(feeds.addressFor(...of), refusedAs)
          const renewing = Effect.mapError(feeds.renew(...of), refusedAs)
          // Who pressed twice, or went back and pressed again, replaces the address that was shown and none that was given since.
          yield* unlessOvertaken({ now: markOf(url), seen: form.get("seen"), wanted: undefined }, renewing)
          return undefined
        })
      }
    }
  } satisfies Readonly<Record<string, HostAct>>
})

const addresses = (
  visit: SignedInVisit,
  property: number,
  own: string,
  ofCalendars: ReadonlyArray<FeedOfCalendar>
): Told =>
  saidOnce(
    "Whoever has one of these addresses reads on which days the property is taken: no names and no prices.",
    html`<p>For a marketplace, or a calendar of your own, of which nothing is followed here:</p>
${secretOf(own)}${replacing(visit, String(property), own)}
${ofCalendars.map(
  (
    { calendar_id, host, url },
    at
  ) => html`<p>For ${host === null ? "a place whose calendar is followed here no more" : `${host}, whose calendar is followed here`} (${at + 1} of ${ofCalendars.length}):</p>
${secretOf(url)}${replacing(visit, `${property}:${calendar_id}`, url)}`
)}`
  )

const replacing = (visit: SignedInVisit, id: string, url: string): Html =>
  behind(
    "Replace it",
    html`<p>The address opens nothing any more: whoever reads it must be given the new one.</p>
${formOf(visit, { act: "renew", button: "Replace the address", id, kind: "danger", fields: html`<input type="hidden" name="seen" value="${markOf(url)}">` })}`
  )

export const feedForm = (
  visit: SignedInVisit,
  properties: Properties,
  password: Html,
  notTaken: NotTaken | undefined
): Html =>
  section(
    "What is taken here, for marketplaces",
    properties.length === 0
      ? html`<p>You have no property yet.</p>
`
      : html`<p>A marketplace that follows a calendar reads here on which days a property is taken.</p>
${formOf(visit, {
  act: "feed",
  button: "Show its addresses",
  row: true,
  kind: "plain",
  fields: html`${select(filling(notTaken, "feed"), {
    name: "property",
    label: "Property",
    options: propertyOptions(properties),
    none: "Choose",
    required: true
  })}${password}`
})}`
  )
