import { Effect } from "effect"
import { type CalendarFeed, PropertyFeeds } from "../../../../domain/calendars/property-feeds/PropertyFeeds.ts"
import { type Html, html } from "../../../docs/html.ts"
import type { Sudo } from "../../sudo.ts"
import type { SignedInVisit, SubmittedForm } from "../../visit.ts"
import { parseRecordId } from "../../visit.ts"
import { apiErrorToActionError, failIfStale, fingerprint } from "../api-operations.ts"
import { actionForm, disclosure, makeFieldFiller, select } from "../form-fields.ts"
import { type FailedSubmission, type HostAction, makeActionError, type OneTimeContent } from "../host-page.ts"
import { section } from "../page-parts.ts"
import { oneTimeNotice, propertyOptions, type SelectableProperties, secretUrlHtml } from "./ical-sync-parts.ts"

// The secret addresses at which marketplaces read what is taken in a property: its own, and one for each calendar that it follows.

const noPropertyError = makeActionError(422, "Choose a property.")

const FEED_ID_PATTERN = /^([1-9]\d{0,14})(?::([1-9]\d{0,14}))?$/

/** Which address a form means: `12` is the property's own, `12:7` that for the calendar 7. */
const readFeedId = (form: SubmittedForm) => {
  const [, property, calendar] = FEED_ID_PATTERN.exec(form.get("id") ?? "") ?? []
  return property === undefined
    ? undefined
    : { property: Number(property), calendar: calendar === undefined ? undefined : Number(calendar) }
}

export const makeExportActions = Effect.fnUntraced(function* (sudo: Sudo) {
  const feeds = yield* PropertyFeeds
  return {
    feed: {
      doneMessage: "Here they are.",
      run: (visit, form) => {
        const property = parseRecordId(form.get("property"))
        if (property === undefined) return Effect.fail(noPropertyError)
        const { operatorId } = visit.session.person.caller
        const feedUrlsHtml = Effect.gen(function* () {
          const { url } = yield* feeds.getOrCreateAddress(operatorId, property, undefined)
          return feedUrlsNotice(visit, property, url, yield* feeds.listCalendarFeeds(operatorId, property))
        })
        return Effect.andThen(sudo.requirePassword(visit, form), Effect.mapError(feedUrlsHtml, apiErrorToActionError))
      }
    },
    renew: {
      doneMessage:
        "The address is replaced: the one before opens nothing any more. Show the new one, and give it to whoever is to read it.",
      run: (visit, form) => {
        const feedId = readFeedId(form)
        if (feedId === undefined) return Effect.fail(noPropertyError)
        const feedKey = [visit.session.person.caller.operatorId, feedId.property, feedId.calendar] as const
        return Effect.gen(function* () {
          const { url } = yield* Effect.mapError(feeds.getOrCreateAddress(...feedKey), apiErrorToActionError)
          const renewal = Effect.mapError(feeds.renewAddress(...feedKey), apiErrorToActionError)
          // Who pressed twice, or went back and pressed again, replaces the address that was shown and none that was given since.
          yield* failIfStale({ current: fingerprint(url), seen: form.get("seen"), target: undefined }, renewal)
          return undefined
        })
      }
    }
  } satisfies Readonly<Record<string, HostAction>>
})

const feedUrlsNotice = (
  visit: SignedInVisit,
  property: number,
  ownUrl: string,
  calendarFeeds: ReadonlyArray<CalendarFeed>
): OneTimeContent =>
  oneTimeNotice(
    "Whoever has one of these addresses reads on which days the property is taken: no names and no prices.",
    html`<p>For a marketplace, or a calendar of your own, of which nothing is followed here:</p>
${secretUrlHtml(ownUrl)}${replaceForm(visit, String(property), ownUrl)}
${calendarFeeds.map(
  (
    { calendar_id, host, url },
    index
  ) => html`<p>For ${host === null ? "a place whose calendar is followed here no more" : `${host}, whose calendar is followed here`} (${index + 1} of ${calendarFeeds.length}):</p>
${secretUrlHtml(url)}${replaceForm(visit, `${property}:${calendar_id}`, url)}`
)}`
  )

const replaceForm = (visit: SignedInVisit, id: string, url: string): Html =>
  disclosure(
    "Replace it",
    html`<p>The address opens nothing any more: whoever reads it must be given the new one.</p>
${actionForm(visit, { action: "renew", label: "Replace the address", id, kind: "danger", fields: html`<input type="hidden" name="seen" value="${fingerprint(url)}">` })}`
  )

export const exportForm = (
  visit: SignedInVisit,
  properties: SelectableProperties,
  passwordField: Html,
  failedSubmission: FailedSubmission | undefined
): Html =>
  section(
    "What is taken here, for marketplaces",
    properties.length === 0
      ? html`<p>You have no property yet.</p>
`
      : html`<p>A marketplace that follows a calendar reads here on which days a property is taken.</p>
${actionForm(visit, {
  action: "feed",
  label: "Show its addresses",
  isInline: true,
  kind: "plain",
  fields: html`${select(makeFieldFiller(failedSubmission, "feed"), {
    name: "property",
    label: "Property",
    options: propertyOptions(properties),
    emptyLabel: "Choose",
    isRequired: true
  })}${passwordField}`
})}`
  )
