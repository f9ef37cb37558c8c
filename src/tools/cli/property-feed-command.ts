import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { BadRequest } from "../../contract/errors.ts"
import { list_imported_calendars } from "../../domain/calendars/imported-calendars/contract.ts"
import {
  create_property_feed,
  list_property_feeds,
  renew_property_feed
} from "../../domain/calendars/property-feeds/contract.ts"
import { PAGE_MAX } from "../../platform/limits.ts"
import { callOperation, runOperationCommand } from "./operation-call.ts"
import { loadPropertyOperatorId, propertyFlag } from "./property-flag.ts"

/** Creates the feed if there is none. */
const loadFeedUrl = (operatorId: number, fields: { readonly property_id: number; readonly calendar_id?: number }) =>
  Effect.map(callOperation(create_property_feed, operatorId, fields, FLAGS), ({ url }) => url)

const FLAGS = { property_id: "--property", calendar_id: "--calendar" } as const

const renewFeed = Effect.fnUntraced(function* (operatorId: number, property_id: number, calendarId: number | null) {
  const { property_feeds } = yield* callOperation(list_property_feeds, operatorId, { property_id })
  const feed = property_feeds.find(({ kind, calendar_id }) => kind === "availability" && calendar_id === calendarId)
  if (feed !== undefined) return yield* callOperation(renew_property_feed, operatorId, { id: feed.id })
  return yield* callOperation(
    create_property_feed,
    operatorId,
    { property_id, calendar_id: calendarId ?? undefined },
    FLAGS
  )
})

/** Creates missing feeds first. `host` is null if the calendar was removed. */
const listCalendarFeeds = Effect.fnUntraced(function* (operatorId: number, property_id: number) {
  const filter = { property_id, limit: PAGE_MAX }
  const { imported_calendars } = yield* callOperation(list_imported_calendars, operatorId, filter)
  const hosts = new Map(imported_calendars.map(({ id, url_host }) => [id, url_host]))
  for (const calendar_id of hosts.keys()) yield* loadFeedUrl(operatorId, { property_id, calendar_id })
  const { property_feeds } = yield* callOperation(list_property_feeds, operatorId, { property_id })
  return property_feeds
    .flatMap(({ calendar_id, url }) =>
      calendar_id === null ? [] : [{ calendar_id, host: hosts.get(calendar_id) ?? null, url }]
    )
    .sort((one, other) => one.calendar_id - other.calendar_id)
})

export const propertyFeedCommand = Command.make(
  "feed",
  {
    property: propertyFlag,
    calendar: Flag.Int("calendar").pipe(
      Flag.withDescription("With --renew: calendar_id whose address to replace (default: the address of the property)"),
      Flag.optional
    ),
    renew: Flag.Boolean("renew").pipe(
      Flag.withDescription("Replace the address; the old one stops working (default: off)"),
      Flag.withDefault(false)
    )
  },
  ({ property, calendar, renew }) =>
    runOperationCommand(
      "property feed",
      Effect.gen(function* () {
        if (Option.isSome(calendar) && !renew) {
          return yield* new BadRequest({ message: "--calendar: needs --renew." })
        }
        const operatorId = yield* loadPropertyOperatorId(property)
        if (renew) yield* renewFeed(operatorId, property, Option.getOrNull(calendar))
        const url = yield* loadFeedUrl(operatorId, { property_id: property })
        const calendars = yield* listCalendarFeeds(operatorId, property)
        return { property_id: property, url, calendars }
      }),
      ({ url, calendars }) => [url, ...calendars.map((each) => `calendar ${each.calendar_id}  ${each.url}`)].join("\n")
    )
).pipe(
  Command.withDescription("Show the secret addresses of the exported calendars of a property"),
  Command.withExamples([
    {
      command: "latchkey property feed --property 12",
      description: "Show the addresses; created at the first call"
    },
    {
      command: "latchkey property feed --property 12 --renew",
      description: "Replace an address that leaked"
    }
  ])
)
