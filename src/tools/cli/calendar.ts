import { Effect, Layer, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { BadRequest, Conflict } from "../../contract/errors.ts"
import { CalendarChannelType } from "../../domain/calendars/calendar-stays/stay-channel.ts"
import {
  accept_imported_calendar,
  create_imported_calendar,
  delete_imported_calendar,
  fetch_imported_calendar,
  list_imported_calendars,
  update_imported_calendar
} from "../../domain/calendars/imported-calendars/contract.ts"
import { ImportedCalendars } from "../../domain/calendars/imported-calendars/ImportedCalendars.ts"
import { CalendarEvents, type ImportedCalendar } from "../../domain/calendars/imported-calendars/imported-calendar.ts"
import { create_property_feed } from "../../domain/calendars/property-feeds/contract.ts"
import { toFeedUrl } from "../../domain/calendars/property-feeds/feed-url.ts"
import { PublicUrl } from "../../platform/installation.ts"
import { CALENDAR_LIST_DEFAULT, CALENDAR_LIST_MAX, PAGE_MAX } from "../../platform/limits.ts"
import { Configuration } from "../../service/configuration.ts"
import { withFieldFlags } from "./field-flags.ts"
import { type CalledOperation, callOperation, runOperationCommand } from "./operation-call.ts"
import { resolveOperatorFilter } from "./operator-filter.ts"
import { loadPropertyOperatorId } from "./property-flag.ts"

const CALENDAR_ARGUMENT = "calendar"
const CALENDAR_FLAGS = {
  id: CALENDAR_ARGUMENT,
  digest: CALENDAR_ARGUMENT,
  skip_unavailable: "--skip-unavailable",
  events: "--events",
  channel_type: "--channel"
} as const

const layerCalendars = Layer.unwrap(
  Effect.map(Configuration, ({ publicUrl }) =>
    Layer.merge(ImportedCalendars.layer, Layer.succeed(PublicUrl, publicUrl))
  )
)

const findOwner = (id: number) =>
  Effect.provide(
    ImportedCalendars.use((calendars) => calendars.findOwner(id)),
    ImportedCalendars.layer
  ).pipe(withFieldFlags(CALENDAR_FLAGS))

const callForCalendar = Effect.fnUntraced(function* <A>(
  operation: CalledOperation<A>,
  fields: { readonly id: number } & Omit<typeof update_imported_calendar.payloadSchema.Type, "id">
) {
  const { operator_id } = yield* findOwner(fields.id)
  return yield* callOperation(operation, operator_id, fields, CALENDAR_FLAGS)
})

/** Returns the address of the feed without this calendar's own events. Creates the feed if it is missing. */
const loadFeedUrl = (operatorId: number, propertyId: number, calendarId: number) =>
  Effect.map(
    callOperation(
      create_property_feed,
      operatorId,
      { property_id: propertyId, calendar_id: calendarId },
      { property_id: "--property", calendar_id: CALENDAR_ARGUMENT }
    ),
    ({ url }) => url
  )

/** An interrupted call may have left the calendar without a feed. */
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

const calendarArgument = Argument.Int(CALENDAR_ARGUMENT).pipe(Argument.withDescription("calendar_id"))

const SKIP_UNAVAILABLE_DESCRIPTION =
  "Ignore the Not available block at the end of the feed, which marks the booking window"

const skipUnavailableFlag = Flag.Boolean("skip-unavailable").pipe(
  Flag.withDescription(`${SKIP_UNAVAILABLE_DESCRIPTION} (default: off)`)
)

const eventsFlag = Flag.Literals("events", CalendarEvents.literals).pipe(
  Flag.withDescription("block: events only block dates. stay: bookings also become reservations (default: block)"),
  Flag.optional
)

const channelFlag = Flag.Literals("channel", CalendarChannelType.literals).pipe(
  Flag.withDescription("Channel of the reservations (default: the channel that the URL or the calendar names)"),
  Flag.optional
)

const addCommand = Command.make(
  "add",
  {
    property: Flag.Int("property").pipe(Flag.withDescription("property_id whose dates the calendar blocks")),
    url: Flag.String("url").pipe(
      Flag.withDescription("Address of the calendar, https or webcal; treat it as a password")
    ),
    skipUnavailable: skipUnavailableFlag.pipe(Flag.optional),
    events: eventsFlag,
    channel: channelFlag
  },
  ({ property, url, skipUnavailable, events, channel }) =>
    runOperationCommand(
      "calendar add",
      Effect.gen(function* () {
        const operatorId = yield* loadPropertyOperatorId(property)
        const fields = {
          property_id: property,
          url,
          skip_unavailable: Option.getOrUndefined(skipUnavailable),
          events: Option.getOrUndefined(events),
          channel_type: Option.getOrUndefined(channel)
        }
        const flags = {
          url: "--url",
          property_id: "--property",
          skip_unavailable: CALENDAR_FLAGS.skip_unavailable,
          events: CALENDAR_FLAGS.events,
          channel_type: CALENDAR_FLAGS.channel_type
        } as const
        const { imported_calendar_id: id } = yield* callOperation(create_imported_calendar, operatorId, fields, flags)
        return { calendar_id: id, feed_url: yield* loadFeedUrl(operatorId, property, id) }
      }),
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
    runOperationCommand(
      "calendar list",
      Effect.gen(function* () {
        if (limit < 1 || limit > CALENDAR_LIST_MAX) {
          return yield* new BadRequest({ message: `--limit: must be from 1 to ${CALENDAR_LIST_MAX}.` })
        }
        const operatorId = yield* resolveOperatorFilter(operator)
        const filter = { propertyId: Option.getOrUndefined(property), operatorId }
        const importedCalendars = yield* ImportedCalendars.use((calendars) => calendars.list(filter, limit))
        return { calendars: yield* Effect.forEach(importedCalendars, toCalendarOutput) }
      }).pipe(Effect.provide(layerCalendars)),
      ({ calendars }) => (calendars.length === 0 ? "No calendars." : calendars.map(formatCalendar).join("\n"))
    )
).pipe(Command.withDescription("List imported calendars with their status"))

/** `JSON.stringify` keeps control characters away from the terminal. */
const formatCalendar = ({ calendar_id, property_id, url, state, ...calendar }: CalendarOutput): string => {
  const { fetched_at, error, skip_unavailable, events, feed_url } = calendar
  return [
    `${calendar_id}  property ${property_id}  ${state}  ${fetched_at === null ? "not fetched yet" : `fetched ${fetched_at}`}`,
    `  ${url === null ? "the address cannot be decrypted: remove the calendar and add it again" : JSON.stringify(url)}`,
    `  address for its marketplace: ${feed_url}`,
    ...(events === "stay" ? ["  bookings become reservations"] : []),
    ...(skip_unavailable ? ["  ignores the marketplace's booking window"] : []),
    ...(error === null ? [] : [`  ${JSON.stringify(error)}`])
  ].join("\n")
}

const updateCommand = Command.make(
  "update",
  { id: calendarArgument, skipUnavailable: skipUnavailableFlag.pipe(Flag.optional) },
  (options) =>
    runOperationCommand(
      "calendar update",
      Effect.gen(function* () {
        const skip_unavailable = Option.getOrUndefined(options.skipUnavailable)
        if (skip_unavailable === undefined) {
          return yield* new BadRequest({ message: "--skip-unavailable: is required, or --no-skip-unavailable." })
        }
        yield* callForCalendar(update_imported_calendar, { id: options.id, skip_unavailable })
        return { calendar_id: options.id, skip_unavailable }
      }),
      ({ calendar_id, skip_unavailable }) =>
        `Calendar ${calendar_id} ${skip_unavailable ? "ignores" : "applies"} the marketplace's booking window from its next fetch on.`
    )
).pipe(Command.withDescription("Change the settings of a calendar and read its feed again"))

const nothingToAcceptError = new Conflict({ message: `${CALENDAR_ARGUMENT}: there is nothing to accept.` })

const acceptCalendar = Effect.fnUntraced(function* (id: number) {
  const { operator_id, property_id } = yield* findOwner(id)
  const filter = { property_id, limit: PAGE_MAX }
  const { imported_calendars } = yield* callOperation(list_imported_calendars, operator_id, filter)
  const digest = imported_calendars.find((calendar) => calendar.id === id)?.digest ?? (yield* nothingToAcceptError)
  return yield* callOperation(accept_imported_calendar, operator_id, { id, digest }, CALENDAR_FLAGS)
})

const acceptCommand = Command.make("accept", { id: calendarArgument }, ({ id }) =>
  runOperationCommand(
    "calendar accept",
    Effect.map(acceptCalendar(id), ({ changed_days }) => ({ calendar_id: id, changed_days })),
    ({ changed_days }) => `Accepted calendar ${id} as read; ${changed_days} days changed.`
  )
).pipe(Command.withDescription("Accept a feed with unreadable parts, and unblock the days that it does not name"))

const removeCommand = Command.make("remove", { id: calendarArgument }, ({ id }) =>
  runOperationCommand(
    "calendar remove",
    Effect.as(callForCalendar(delete_imported_calendar, { id }), { calendar_id: id }),
    ({ calendar_id }) => `Removed calendar ${calendar_id}; the dates that only it blocked are open.`
  )
).pipe(Command.withDescription("Remove a calendar and unblock the dates that only it blocked"))

const fetchCommand = Command.make("fetch", { id: calendarArgument }, ({ id }) =>
  runOperationCommand(
    "calendar fetch",
    Effect.gen(function* () {
      const { is_superseded, ...status } = yield* callForCalendar(fetch_imported_calendar, { id })
      if (status.state === "failing" && !is_superseded)
        return yield* new Conflict({ message: `Calendar ${id} cannot be read: ${status.error}.` })
      // Release 3.13.0 named the field `overtaken`.
      return { calendar_id: id, ...status, ...(is_superseded ? { overtaken: true } : {}) }
    }),
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
