import { Effect, Layer, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { BadRequest, Conflict } from "../../contract/errors.ts"
import { ImportedCalendars } from "../../domain/calendars/imported-calendars/ImportedCalendars.ts"
import type { ImportedCalendar } from "../../domain/calendars/imported-calendars/imported-calendar.ts"
import { toFeedUrl } from "../../domain/calendars/property-feeds/feed-url.ts"
import { PropertyFeeds } from "../../domain/calendars/property-feeds/PropertyFeeds.ts"
import { AddressResolver } from "../../domain/webhooks/deliveries/AddressResolver.ts"
import { AllowedReceivers } from "../../domain/webhooks/deliveries/allowed-hosts.ts"
import { OutboundHttp } from "../../domain/webhooks/deliveries/OutboundHttp.ts"
import { layerCommandWakeUp } from "../../jobs/wake-up-layers.ts"
import { PublicUrl } from "../../platform/installation.ts"
import { CALENDAR_LIST_DEFAULT, CALENDAR_LIST_MAX } from "../../platform/limits.ts"
import { Configuration } from "../../service/configuration.ts"
import { runCommand } from "./command-runner.ts"
import { withFieldFlags } from "./field-flags.ts"
import { loadPropertyOperatorId } from "./property-flag.ts"

/** With the calendars of the service, and its rules for addresses. */
const withCalendars = <A, E, R>(use: (calendars: ImportedCalendars["Service"]) => Effect.Effect<A, E, R>) =>
  Effect.flatMap(Configuration, ({ webhookAllowedHosts, publicUrl }) =>
    Effect.flatMap(ImportedCalendars, use).pipe(
      Effect.provide(
        Layer.mergeAll(
          ImportedCalendars.layer,
          Layer.provide(OutboundHttp.layer(webhookAllowedHosts), AddressResolver.layer),
          // What changes is told to the workers when the command ends.
          layerCommandWakeUp,
          PropertyFeeds.layer,
          Layer.succeed(AllowedReceivers, webhookAllowedHosts)
        ).pipe(Layer.provideMerge(Layer.succeed(PublicUrl, publicUrl)))
      )
    )
  )

/** The address at which the source of a calendar reads what is busy here. */
const loadFeedUrl = (operatorId: number, propertyId: number, calendarId: number) =>
  PropertyFeeds.use((feeds) =>
    Effect.map(feeds.getOrCreateAddress(operatorId, propertyId, calendarId), ({ url }) => url)
  )

/** One whose address was never made, because somebody was cut off before, gets it now. */
const toCalendarOutput = ({ feed, ...calendar }: ImportedCalendar) =>
  Effect.gen(function* () {
    const { operator_id, property_id, calendar_id } = calendar
    const feed_url =
      feed === undefined
        ? yield* loadFeedUrl(operator_id, property_id, calendar_id)
        : toFeedUrl(yield* PublicUrl, feed.token)
    return { ...calendar, feed_url }
  })
type CalendarOutput = Effect.Success<ReturnType<typeof toCalendarOutput>>

const calendarArgument = Argument.Int("calendar").pipe(Argument.withDescription("calendar_id"))

const SKIP_UNAVAILABLE_DESCRIPTION = "Ignore a Not available block at the end of the feed once its end moves forward"

const skipUnavailableFlag = Flag.Boolean("skip-unavailable").pipe(
  Flag.withDescription(`${SKIP_UNAVAILABLE_DESCRIPTION} (default: off)`)
)

const toCalendarSettings = (option: Option.Option<boolean>) =>
  Option.getOrUndefined(Option.map(option, (skipUnavailable) => ({ skipUnavailable })))

const addCommand = Command.make(
  "add",
  {
    property: Flag.Int("property").pipe(Flag.withDescription("property_id whose dates the calendar blocks")),
    url: Flag.String("url").pipe(
      Flag.withDescription("Address of the calendar, https or webcal; treat it as a password")
    ),
    skipUnavailable: skipUnavailableFlag.pipe(Flag.optional)
  },
  ({ property, url, skipUnavailable }) =>
    runCommand(
      "calendar add",
      withCalendars((calendars) =>
        Effect.gen(function* () {
          const operatorId = yield* loadPropertyOperatorId(property)
          const { id } = yield* calendars.add(operatorId, property, url, toCalendarSettings(skipUnavailable))
          return { calendar_id: id, feed_url: yield* loadFeedUrl(operatorId, property, id) }
        })
      ).pipe(withFieldFlags({ url: "--url", property_id: "--property" })),
      ({ calendar_id, feed_url }) =>
        `Added calendar ${calendar_id}, which blocks dates of property ${property}. Give its marketplace this address: ${feed_url}`
    )
).pipe(
  Command.withDescription("Import a calendar of a marketplace; its busy dates are blocked here"),
  Command.withExamples([
    {
      command: "latchkey calendar add --property 12 --url https://www.airbnb.com/calendar/ical/1.ics?s=…",
      description: "Import a calendar of Airbnb"
    }
  ])
)

const listCommand = Command.make(
  "list",
  {
    property: Flag.Int("property").pipe(
      Flag.withDescription("List only calendars of this property_id (default: all properties)"),
      Flag.optional
    ),
    operator: Flag.Int("operator").pipe(
      Flag.withDescription("List only calendars of this operator_id (default: all operators)"),
      Flag.optional
    ),
    limit: Flag.Int("limit").pipe(
      Flag.withDescription(`Calendars to list, at most ${CALENDAR_LIST_MAX} (default: ${CALENDAR_LIST_DEFAULT})`),
      Flag.withDefault(CALENDAR_LIST_DEFAULT)
    )
  },
  ({ property, operator, limit }) =>
    runCommand(
      "calendar list",
      withCalendars((calendars) =>
        Effect.gen(function* () {
          if (limit < 1 || limit > CALENDAR_LIST_MAX) {
            return yield* new BadRequest({ message: `--limit: must be from 1 to ${CALENDAR_LIST_MAX}.` })
          }
          const filter = { propertyId: Option.getOrUndefined(property), operatorId: Option.getOrUndefined(operator) }
          const importedCalendars = yield* calendars.list(filter, limit)
          return { calendars: yield* Effect.forEach(importedCalendars, toCalendarOutput) }
        })
      ),
      ({ calendars }) => (calendars.length === 0 ? "No calendars." : calendars.map(formatCalendar).join("\n"))
    )
).pipe(Command.withDescription("List imported calendars with their status"))

/** Addresses and what hosts say are other people's texts: quoted, so that nothing in them moves the cursor. */
const formatCalendar = ({ calendar_id, property_id, url, state, ...calendar }: CalendarOutput): string => {
  const { fetched_at, error, skip_unavailable, feed_url } = calendar
  return [
    `${calendar_id}  property ${property_id}  ${state}  ${fetched_at === null ? "not fetched yet" : `fetched ${fetched_at}`}`,
    `  ${url === null ? "the address cannot be decrypted: remove the calendar and add it again" : JSON.stringify(url)}`,
    `  address for its marketplace: ${feed_url}`,
    ...(skip_unavailable ? ["  ignores the marketplace's booking window"] : []),
    ...(error === null ? [] : [`  ${JSON.stringify(error)}`])
  ].join("\n")
}

const updateCommand = Command.make(
  "update",
  { id: calendarArgument, skipUnavailable: skipUnavailableFlag.pipe(Flag.optional) },
  (options) =>
    runCommand(
      "calendar update",
      withCalendars((calendars) =>
        Effect.gen(function* () {
          const settings = toCalendarSettings(options.skipUnavailable)
          if (settings === undefined) {
            return yield* new BadRequest({ message: "--skip-unavailable: is required, or --no-skip-unavailable." })
          }
          yield* calendars.update(yield* calendars.findOperator(options.id), options.id, settings)
          return { calendar_id: options.id, skip_unavailable: settings.skipUnavailable }
        })
      ),
      ({ calendar_id, skip_unavailable }) =>
        `Calendar ${calendar_id} ${skip_unavailable ? "ignores" : "applies"} the marketplace's booking window from its next fetch on.`
    )
).pipe(Command.withDescription("Change the settings of a calendar and read its feed again"))

const acceptCommand = Command.make("accept", { id: calendarArgument }, ({ id }) =>
  runCommand(
    "calendar accept",
    withCalendars((calendars) =>
      Effect.flatMap(calendars.findOperator(id), (operatorId) =>
        Effect.map(calendars.accept(operatorId, id), ({ changed_days }) => ({ calendar_id: id, changed_days }))
      )
    ),
    ({ changed_days }) => `Accepted calendar ${id} as read; ${changed_days} days changed.`
  )
).pipe(Command.withDescription("Accept a feed with unreadable parts, and unblock the days that it does not name"))

const removeCommand = Command.make("remove", { id: calendarArgument }, ({ id }) =>
  runCommand(
    "calendar remove",
    withCalendars((calendars) =>
      Effect.flatMap(calendars.findOperator(id), (operatorId) =>
        Effect.as(calendars.remove(operatorId, id), { calendar_id: id })
      )
    ),
    ({ calendar_id }) => `Removed calendar ${calendar_id}; the dates that only it blocked are open.`
  )
).pipe(Command.withDescription("Remove a calendar and unblock the dates that only it blocked"))

const fetchCommand = Command.make("fetch", { id: calendarArgument }, ({ id }) =>
  runCommand(
    "calendar fetch",
    withCalendars((calendars) =>
      Effect.gen(function* () {
        const result = yield* calendars.fetch(yield* calendars.findOperator(id), id)
        if (result.outcome === "failed")
          return yield* new Conflict({ message: `Calendar ${id} cannot be read: ${result.error}.` })
        return {
          calendar_id: id,
          state: result.state,
          busy_days: result.busy_days,
          changed_days: result.changed_days,
          error: result.error ?? null,
          ...(result.outcome === "overtaken" ? { overtaken: true } : {})
        }
      })
    ),
    ({ state, busy_days, changed_days, error, overtaken }) =>
      [
        ...(overtaken ? [`A newer fetch of calendar ${id} has started. Its status is ${state}.`] : []),
        `Calendar ${id} has ${busy_days} busy days; ${changed_days} days changed.`,
        ...(error === null ? [] : [`${error}.`])
      ].join("\n")
  )
).pipe(Command.withDescription("Fetch a calendar now and show the result"))

export const calendarCommand = Command.make("calendar").pipe(
  Command.withDescription("Import calendars of marketplaces, whose busy dates are blocked here"),
  Command.withSubcommands([addCommand, listCommand, updateCommand, fetchCommand, acceptCommand, removeCommand])
)
