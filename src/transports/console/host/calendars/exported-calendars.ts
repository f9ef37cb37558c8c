import { Effect } from "effect"
import { list_imported_calendars } from "../../../../domain/calendars/imported-calendars/contract.ts"
import { list_property_feeds } from "../../../../domain/calendars/property-feeds/contract.ts"
import { PROPERTY_CALENDARS_MAX } from "../../../../platform/limits.ts"
import type { Service } from "../../../../service/service.ts"
import { type Html, html } from "../../../docs/html.ts"
import type { Sudo } from "../../sudo.ts"
import type { SignedInVisit, SubmittedForm } from "../../visit.ts"
import { parseRecordId } from "../../visit.ts"
import { failIfStale, fingerprint, makeQuery, makeVoidMutation } from "../api-operations.ts"
import { actionForm, disclosure, makeFieldFiller, select } from "../form-fields.ts"
import { type FailedSubmission, type HostAction, makeActionError, type OneTimeContent } from "../host-page.ts"
import { link, section } from "../page-parts.ts"
import { PROPERTIES_PATH } from "../urls.ts"
import {
  makeCreateFeed,
  oneTimeNotice,
  propertyOptions,
  type SelectableProperties,
  secretUrlHtml
} from "./ical-sync-parts.ts"

const noPropertyError = makeActionError(422, "property_id: is required.")
const noFeedError = makeActionError(404, "There is no such URL.")

const FEED_ID_PATTERN = /^([1-9]\d{0,14})(?::([1-9]\d{0,14}))?$/

/** Parses `12` as the feed of property 12, and `12:7` as the feed of property 12 for imported calendar 7. */
const readFeedId = (form: SubmittedForm) => {
  const [, property, calendar] = FEED_ID_PATTERN.exec(form.get("id") ?? "") ?? []
  return property === undefined
    ? undefined
    : { property: Number(property), calendar: calendar === undefined ? null : Number(calendar) }
}

interface CalendarFeed {
  readonly calendar_id: number
  /** Null if the imported calendar was removed. */
  readonly host: string | null
  readonly url: string
}

export const makeExportActions = (service: Service["Service"], sudo: Sudo) => {
  const run = makeVoidMutation(service)
  const [queryFeeds, queryCalendars] = [
    makeQuery(service, list_property_feeds),
    makeQuery(service, list_imported_calendars)
  ]
  const createFeed = makeCreateFeed(service)

  /** Creates missing feeds. The result includes feeds for imported calendars that were removed. */
  const loadCalendarFeeds = Effect.fnUntraced(function* (
    visit: SignedInVisit,
    form: SubmittedForm,
    property_id: number
  ) {
    const { property_feeds } = yield* queryFeeds(visit, { property_id })
    const { imported_calendars } = yield* queryCalendars(visit, { property_id, limit: PROPERTY_CALENDARS_MAX })
    const hosts = new Map(imported_calendars.map(({ id, url_host }) => [id, url_host]))
    const urls = new Map(property_feeds.map(({ calendar_id, url }) => [calendar_id, url]))
    const formerIds = property_feeds.flatMap(({ calendar_id }) => (calendar_id === null ? [] : [calendar_id]))
    const calendarIds = Array.from(new Set([...hosts.keys(), ...formerIds])).toSorted((one, other) => one - other)
    return yield* Effect.forEach(calendarIds, (calendar_id) =>
      Effect.gen(function* () {
        const url = urls.get(calendar_id) ?? (yield* createFeed(visit, form, { property_id, calendar_id })).url
        const feed: CalendarFeed = { calendar_id, host: hosts.get(calendar_id) ?? null, url }
        return feed
      })
    )
  })

  return {
    feed: {
      doneMessage: "The URLs are shown below.",
      run: (visit, form) => {
        const property = parseRecordId(form.get("property"))
        if (property === undefined) return Effect.fail(noPropertyError)
        const feedUrlsHtml = Effect.gen(function* () {
          const { url } = yield* createFeed(visit, form, { property_id: property })
          return feedUrlsNotice(visit, property, url, yield* loadCalendarFeeds(visit, form, property))
        })
        return Effect.andThen(sudo.requirePassword(visit, form), feedUrlsHtml)
      }
    },
    renew: {
      doneMessage:
        "The URL is replaced, and the old one no longer works. Show the new one and enter it on the marketplace.",
      run: (visit, form) => {
        const feedId = readFeedId(form)
        if (feedId === undefined) return Effect.fail(noPropertyError)
        return Effect.gen(function* () {
          const { property_feeds } = yield* queryFeeds(visit, { property_id: feedId.property })
          const feed = property_feeds.find(
            ({ kind, calendar_id }) => kind === "availability" && calendar_id === feedId.calendar
          )
          if (feed === undefined) return yield* Effect.fail(noFeedError)
          const renewal = run(visit, form, "renew_property_feed", { id: feed.id })
          // A form replaces only the URL that it showed, so a repeated form never replaces a newer one.
          const shown = { current: fingerprint(feed.url), seen: form.get("seen"), target: undefined }
          return yield* failIfStale(shown, renewal)
        })
      }
    }
  } satisfies Readonly<Record<string, HostAction>>
}

const feedUrlsNotice = (
  visit: SignedInVisit,
  property: number,
  ownUrl: string,
  calendarFeeds: ReadonlyArray<CalendarFeed>
): OneTimeContent =>
  oneTimeNotice(
    "Everyone who has one of these URLs sees on which days the property is taken: no names and no prices.",
    html`<p>For your own calendar, or a marketplace whose calendar is not imported:</p>
${secretUrlHtml(ownUrl)}${replaceForm(visit, String(property), ownUrl)}
${calendarFeeds.map(
  (
    { calendar_id, host, url },
    index
  ) => html`<p>For ${host === null ? "a calendar that is no longer imported" : `${host}, whose calendar is imported`} (${index + 1} of ${calendarFeeds.length}):</p>
${secretUrlHtml(url)}${replaceForm(visit, `${property}:${calendar_id}`, url)}`
)}`
  )

const replaceForm = (visit: SignedInVisit, id: string, url: string): Html =>
  disclosure(
    "Replace URL…",
    html`<p>The current URL stops working. Enter the new one wherever you used it.</p>
${actionForm(visit, { action: "renew", label: "Replace URL", id, kind: "danger", fields: html`<input type="hidden" name="seen" value="${fingerprint(url)}">` })}`
  )

export const exportForm = (
  visit: SignedInVisit,
  properties: SelectableProperties,
  passwordField: Html,
  failedSubmission: FailedSubmission | undefined
): Html =>
  section(
    "Export iCal",
    properties.length === 0
      ? html`<p>You have no property yet. ${link(PROPERTIES_PATH, "Add a property")}</p>
`
      : html`<p>Enter this URL on a marketplace or in your own calendar. It shows on which days a property is taken.</p>
${actionForm(visit, {
  action: "feed",
  label: "Show URL",
  isInline: true,
  kind: "plain",
  fields: html`${select(makeFieldFiller(failedSubmission, "feed"), {
    name: "property",
    label: "Property",
    apiName: "property_id",
    options: propertyOptions(properties),
    emptyLabel: "Choose",
    isRequired: true
  })}${passwordField}`
})}`
  )
