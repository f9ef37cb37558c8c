import { Effect, Layer, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { BadRequest, Conflict } from "../../contract/errors.ts"
import type { ImportedCalendar } from "../../domain/calendars/imported-calendars/calendar.ts"
import { ImportedCalendars } from "../../domain/calendars/imported-calendars/ImportedCalendars.ts"
import { addressOf } from "../../domain/calendars/property-feeds/address.ts"
import { PropertyFeeds } from "../../domain/calendars/property-feeds/PropertyFeeds.ts"
import { AddressResolver } from "../../domain/webhooks/deliveries/AddressResolver.ts"
import { AllowedReceivers } from "../../domain/webhooks/deliveries/allowed-hosts.ts"
import { Outbound } from "../../domain/webhooks/deliveries/Outbound.ts"
import { layerWakeUpOfCommand } from "../../jobs/layer.ts"
import { PublicUrl } from "../../platform/installation.ts"
import { CALENDAR_LIST_DEFAULT, CALENDAR_LIST_MAX } from "../../platform/limits.ts"
import { Configuration } from "../../service/configuration.ts"
import { answer } from "./answer.ts"

/** With the calendars of the service, and its rules for addresses. */
const withCalendars = <A, E, R>(work: (calendars: ImportedCalendars["Service"]) => Effect.Effect<A, E, R>) =>
  Effect.flatMap(Configuration, ({ webhookAllowedHosts, publicUrl }) =>
    Effect.flatMap(ImportedCalendars, work).pipe(
      Effect.provide(
        Layer.mergeAll(
          ImportedCalendars.layer,
          Layer.provide(Outbound.layer(webhookAllowedHosts), AddressResolver.layer),
          // What changes is told to the workers when the command ends.
          layerWakeUpOfCommand,
          PropertyFeeds.layer,
          Layer.succeed(AllowedReceivers, webhookAllowedHosts)
        ).pipe(Layer.provideMerge(Layer.succeed(PublicUrl, publicUrl)))
      )
    )
  )

/** The address at which the source of a calendar reads what is busy here. */
const feedUrl = (operatorId: number, propertyId: number, calendarId: number) =>
  PropertyFeeds.use((feeds) => Effect.map(feeds.addressFor(operatorId, propertyId, calendarId), ({ url }) => url))

/** One whose address was never made, because somebody was cut off before, gets it now. */
const withFeedUrl = ({ feed, ...listed }: ImportedCalendar) =>
  Effect.gen(function* () {
    const { operator_id, property_id, calendar_id } = listed
    const feed_url =
      feed === undefined
        ? yield* feedUrl(operator_id, property_id, calendar_id)
        : addressOf(yield* PublicUrl, feed.token)
    return { ...listed, feed_url }
  })
type ListedCalendar = Effect.Success<ReturnType<typeof withFeedUrl>>

const id = Argument.Int("calendar").pipe(Argument.withDescription("calendar_id"))

const SKIP_UNAVAILABLE = "Ignore a Not available block at the end of the feed once its end moves forward"

const skipUnavailable = Flag.Boolean("skip-unavailable").pipe(
  Flag.withDescription(`${SKIP_UNAVAILABLE} (default: off)`)
)

const settingsOf = (skips: Option.Option<boolean>) =>
  Option.getOrUndefined(Option.map(skips, (skipUnavailable) => ({ skipUnavailable })))

const add = Command.make(
  "add",
  {
    property: Flag.Int("property").pipe(Flag.withDescription("property_id whose dates the calendar blocks")),
    url: Flag.String("url").pipe(
      Flag.withDescription("Address of the calendar, https or webcal; treat it as a password")
    ),
    skipUnavailable: skipUnavailable.pipe(Flag.optional)
  },
  ({ property, url, skipUnavailable }) =>
    answer(
      "calendar add",
      withCalendars((calendars) =>
        Effect.flatMap(calendars.add(property, url, settingsOf(skipUnavailable)), ({ calendar_id, operator_id }) =>
          Effect.map(feedUrl(operator_id, property, calendar_id), (feed_url) => ({ calendar_id, feed_url }))
        )
      ),
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

const list = Command.make(
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
    answer(
      "calendar list",
      withCalendars((calendars) =>
        Effect.gen(function* () {
          if (limit < 1 || limit > CALENDAR_LIST_MAX) {
            return yield* new BadRequest({ message: `--limit: must be from 1 to ${CALENDAR_LIST_MAX}.` })
          }
          const wanted = { propertyId: Option.getOrUndefined(property), operatorId: Option.getOrUndefined(operator) }
          const listed = yield* calendars.list(wanted, limit)
          return { calendars: yield* Effect.forEach(listed, withFeedUrl) }
        })
      ),
      ({ calendars }) => (calendars.length === 0 ? "No calendars." : calendars.map(inWords).join("\n"))
    )
).pipe(Command.withDescription("List imported calendars with their status"))

/** Addresses and what hosts say are other people's texts: quoted, so that nothing in them moves the cursor. */
const inWords = ({ calendar_id, property_id, url, state, ...listed }: ListedCalendar): string => {
  const { fetched_at, error, skip_unavailable, feed_url } = listed
  return [
    `${calendar_id}  property ${property_id}  ${state}  ${fetched_at === null ? "not fetched yet" : `fetched ${fetched_at}`}`,
    `  ${url === null ? "the address cannot be decrypted: remove the calendar and add it again" : JSON.stringify(url)}`,
    `  address for its marketplace: ${feed_url}`,
    ...(skip_unavailable ? ["  ignores the marketplace's booking window"] : []),
    ...(error === null ? [] : [`  ${JSON.stringify(error)}`])
  ].join("\n")
}

const update = Command.make("update", { id, skipUnavailable: skipUnavailable.pipe(Flag.optional) }, (given) =>
  answer(
    "calendar update",
    withCalendars((calendars) =>
      Effect.gen(function* () {
        const settings = settingsOf(given.skipUnavailable)
        if (settings === undefined) {
          return yield* new BadRequest({ message: "--skip-unavailable: is required, or --no-skip-unavailable." })
        }
        yield* calendars.update(given.id, settings)
        return { calendar_id: given.id, skip_unavailable: settings.skipUnavailable }
      })
    ),
    ({ calendar_id, skip_unavailable }) =>
      `Calendar ${calendar_id} ${skip_unavailable ? "ignores" : "applies"} the marketplace's booking window from its next fetch on.`
  )
).pipe(Command.withDescription("Change the settings of a calendar and read its feed again"))

const accept = Command.make("accept", { id }, ({ id }) =>
  answer(
    "calendar accept",
    withCalendars((calendars) =>
      Effect.map(calendars.accept(id), ({ changed_days }) => ({ calendar_id: id, changed_days }))
    ),
    ({ changed_days }) => `Accepted calendar ${id} as read; ${changed_days} days changed.`
  )
).pipe(Command.withDescription("Accept a feed with unreadable parts, and unblock the days that it does not name"))

const remove = Command.make("remove", { id }, ({ id }) =>
  answer(
    "calendar remove",
    withCalendars((calendars) => Effect.as(calendars.remove(id), { calendar_id: id })),
    ({ calendar_id }) => `Removed calendar ${calendar_id}; the dates that only it blocked are open.`
  )
).pipe(Command.withDescription("Remove a calendar and unblock the dates that only it blocked"))

const fetch = Command.make("fetch", { id }, ({ id }) =>
  answer(
    "calendar fetch",
    withCalendars((calendars) =>
      Effect.flatMap(calendars.fetch(id), (came) =>
        came.outcome === "failed"
          ? Effect.fail(new Conflict({ message: `Calendar ${id} cannot be read: ${came.error}.` }))
          : Effect.succeed({
              calendar_id: id,
              state: came.state,
              busy_days: came.busy_days,
              changed_days: came.changed_days,
              error: came.error ?? null,
              ...(came.outcome === "overtaken" ? { overtaken: true } : {})
            })
      )
    ),
    ({ state, busy_days, changed_days, error, overtaken }) =>
      [
        ...(overtaken ? [`A newer fetch of calendar ${id} has started. Its status is ${state}.`] : []),
        `Calendar ${id} has ${busy_days} busy days; ${changed_days} days changed.`,
        ...(error === null ? [] : [`${error}.`])
      ].join("\n")
  )
).pipe(Command.withDescription("Fetch a calendar now and show the result"))

export const calendar = Command.make("calendar").pipe(
  Command.withDescription("Import calendars of marketplaces, whose busy dates are blocked here"),
  Command.withSubcommands([add, list, update, fetch, accept, remove])
)
